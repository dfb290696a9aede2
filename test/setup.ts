import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { insertDemoData } from './support/demo-data.ts'
import { resetRateLimits } from './support/helper.ts'
import { beginFile, beginTest, findLeaks } from './support/logs.ts'
import { DEMO_PASSWORD_HASH } from './support/password-cost.ts'
import { logVersion } from '#log.ts'

// The files of a worker share an isolate; each starts with the real migrations, the demo data and
// no logs.
beforeAll(async () => {
  beginFile()
  logVersion(env.VERSION) // as the first request of an isolate, which is not that of a test
  await dropTables()
  await applyD1Migrations(env.DB, env.MIGRATIONS)
  await insertDemoData(DEMO_PASSWORD_HASH)
})

/** `reset` of `cloudflare:test` leaves the tables of the previous file on a busy machine. */
async function dropTables(): Promise<void> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_schema where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'",
  ).all<{ name: string }>()
  await env.DB.batch([
    env.DB.prepare('pragma defer_foreign_keys = on'),
    ...results.map(({ name }) => env.DB.prepare(`drop table "${name}"`)),
  ])
}

beforeEach(() => {
  beginTest()
  resetRateLimits()
})

// Mocks, stubs and fake time end with their test.
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

// No test may log personal data of its requests.
afterAll(() => expect(findLeaks()).toEqual([]))
