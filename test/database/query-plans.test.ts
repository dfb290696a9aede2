import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runCron } from '../support/emails.ts'
import { call, PASSWORD } from '../support/helper.ts'

// that other requests read no more rows as tables grow is in test/every-route/rows-read.test.ts

/** The query plans of all statements of some work. */
async function plansDuring(work: (DB: unknown) => Promise<unknown>) {
  const statements: string[] = []
  const binding = {
    withSession: () => ({
      prepare: (sql: string) => {
        statements.push(sql)
        return env.DB.prepare(sql)
      },
      batch: (batch: D1PreparedStatement[]) => env.DB.batch(batch),
      getBookmark: () => null,
    }),
  }
  await work(binding)
  const plans = []
  for (const sql of statements) {
    const parameters = (sql.match(/\?/g) ?? []).map(() => null)
    const { results } = await env.DB.prepare(`explain query plan ${sql}`)
      .bind(...parameters)
      .all<{ detail: string }>()
    plans.push(...results.map(({ detail }) => detail))
  }
  return plans
}

it('POST /v1/auth/login by CPF scans no table', async () => {
  const body = { cpf: '52998224725', password: PASSWORD }
  const plans = await plansDuring((DB) => call('/auth/login', { body, env: { DB } }))
  expect(plans.join()).toMatch('SEARCH users USING INDEX')
  expect(plans.filter((detail) => /^SCAN (?!CONSTANT ROW)/.test(detail))).toEqual([])
})

it('the cron trigger scans no table', async () => {
  await call('/auth/password/forgot', { body: { email: 'ana@example.org' } })
  await env.DB.exec(
    "insert into notices (email, kind, user_id) select email, 'email_changed', id from users where email = 'ana@example.org'",
  )
  const plans = await plansDuring((DB) => runCron({ DB, AUDIT_RETENTION_DAYS: '30' }))
  expect(plans).toContain(
    'SEARCH audit_events USING COVERING INDEX audit_events_by_time (created_at<?)',
  )
  expect(
    plans.filter((detail) => /^SCAN (?!CONSTANT ROW|claimed|json_each)/.test(detail)),
  ).toEqual([])
})
