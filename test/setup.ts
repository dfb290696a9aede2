import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { demoDocument } from '../scripts/lib/demo.ts'
import { applyDocument } from '../scripts/provisioning/apply.ts'
import { resetRateLimits } from './helper.ts'
import { beginFile, beginTest, findLeaks } from './logs.ts'

// The files of a worker share an isolate; each starts with the real migrations, the demo data and no logs.
beforeAll(async () => {
  beginFile()
  await dropTables()
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

/** Hashing takes most of the time of a file's start; `vitest.config.ts` does it once. */
function withoutPassword<User extends { password: string }>({ password: _, ...user }: User) {
  return user
}

beforeEach(() => {
  beginTest()
  resetRateLimits()
})

// No test may log personal data of its requests.
afterAll(() => {
  expect(findLeaks()).toEqual([])
})
