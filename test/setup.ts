import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { demoDocument } from '../scripts/lib/demo.ts'
import { applyDocument } from '../scripts/provisioning/apply.ts'
import { beginTest, findLeaks, interceptLogs } from './logs.ts'

interceptLogs()

// Storage is isolated by file: each begins with the real migrations and the demo data.
beforeAll(async () => {
  await applyD1Migrations(env.DB, env.MIGRATIONS)
  await applyDocument(env.DB, demoDocument())
})

beforeEach(beginTest)

// Whatever a file tests, nothing personal of its requests may have been logged.
afterAll(() => {
  expect(findLeaks()).toEqual([])
})
