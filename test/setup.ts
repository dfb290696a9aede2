import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { demoDocument } from '../scripts/lib/demo.ts'
import { applyDocument } from '../scripts/provisioning/apply.ts'
import { beginTest, findLeaks, interceptLogs } from './logs.ts'

interceptLogs()

// Storage is isolated per file; each starts with the real migrations and the demo data.
beforeAll(async () => {
  await applyD1Migrations(env.DB, env.MIGRATIONS)
  const demo = demoDocument()
  const users = [...demo.administrators, ...demo.informers]
  await applyDocument(env.DB, {
    ...demo,
    administrators: demo.administrators.map(withoutPassword),
    informers: demo.informers.map(withoutPassword),
  })
  await env.DB.prepare('update users set password_hash = ? where email in (select value from json_each(?))')
    .bind(env.DEMO_PASSWORD_HASH, JSON.stringify(users.map(({ email }) => email)))
    .run()
})

/** Hashing takes most of the time of a file's start; `vitest.config.ts` does it once. */
function withoutPassword<User extends { password: string }>({ password: _, ...user }: User) {
  return user
}

beforeEach(beginTest)

// No test may log personal data of its requests.
afterAll(() => {
  expect(findLeaks()).toEqual([])
})
