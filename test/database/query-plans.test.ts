import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runCron } from '../support/emails.ts'
import { administratorToken, call, PASSWORD } from '../support/helper.ts'

// that requests read no more rows as tables grow is in test/every-route/rows-read.test.ts

/** The query plans of the statements of a call. */
const plansOf = (path: string, options: Parameters<typeof call>[1]) =>
  plansDuring((DB) => call(path, { ...options, env: { DB } }))

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
  const plans = await plansOf('/auth/login', {
    body: { cpf: '52998224725', password: PASSWORD },
  })
  expect(plans.join()).toMatch('SEARCH users USING INDEX')
  expect(plans.filter((detail) => /^SCAN (?!CONSTANT ROW)/.test(detail))).toEqual([])
})

const UUIDS = ['actor_id', 'subject_id', 'related_id', 'api_token_id']
const UUID = '6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11'

it.each([
  // in order and by date
  ...UUIDS.map((name) => [
    `/audit-events?${name}=${UUID}&date_from=2026-01-01&date_to=2026-12-31`,
    new RegExp(
      `^SEARCH audit_events USING .*INDEX .* \\(${name}=\\? AND created_at>\\? AND created_at<\\?\\)$`,
    ),
  ]),
  [
    '/audit-events?date_from=2026-01-01&date_to=2026-12-31',
    /^SEARCH audit_events USING .*INDEX audit_events_by_time \(created_at>\? AND created_at<\?\)$/,
  ],
  // which looks for the action in the index that has the order
  [
    '/audit-events?action=session.ended',
    /^SCAN audit_events USING (INDEX audit_events_by_time|COVERING INDEX \w+)$/,
  ],
  [
    '/changelogs?version=v1.2.0',
    /^SEARCH changelogs USING .*changelogs_by_version \(version_major=\? AND version_minor=\? AND/,
  ],
  [
    '/changelogs?category=Melhoria',
    /^SEARCH changelogs USING .*changelogs_by_category \(category=\?\)$/,
  ],
  [
    '/changelogs?category=Melhoria&date_from=2026-01-01',
    /changelogs_by_category \(category=\? AND date>\?\)$/,
  ],
] as [string, RegExp][])(
  'GET /v1%s reads page and count by an index, whoever calls',
  async (path, expected) => {
    const administrator = await administratorToken()
    const isPublic = path.startsWith('/changelogs')
    for (const token of isPublic ? [undefined, administrator] : [administrator]) {
      const plans = await plansOf(path, { token })
      const reads = plans.filter((detail) =>
        /^(SCAN|SEARCH) (changelogs|audit_events)/.test(detail),
      )
      expect(reads).toHaveLength(2)
      for (const detail of reads) expect(detail).toMatch(expected)
      if (!isPublic) expect(plans.join()).not.toContain('TEMP B-TREE')
    }
  },
)

it('the cron trigger scans no table', async () => {
  await call('/auth/password/forgot', { body: { email: 'ana@example.org' } })
  await env.DB.exec(
    "insert into notices (email, kind, user_id) select email, 'email_changed', id from users where email = 'ana@example.org'",
  )
  const plans = await plansDuring((DB) => runCron({ DB, AUDIT_RETENTION_DAYS: '30' }))
  expect(plans).toContain(
    'SEARCH audit_events USING COVERING INDEX audit_events_by_time (created_at<?)',
  )
  expect(plans).toContain(
    'SEARCH email_tokens USING COVERING INDEX email_tokens_by_time (expires_at<?)',
  )
  expect(
    plans.filter((detail) => /^SCAN (?!CONSTANT ROW|claimed|json_each)/.test(detail)),
  ).toEqual([])
})
