import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runCron } from '../support/emails.ts'
import { administratorToken, call, PASSWORD } from '../support/helper.ts'
import { newText, referenceLists } from '../support/resources.ts'
import { cases, newRequest } from '../support/routes.ts'

/** The query plans of the statements of a call. */
const plansOf = (path: string, options: Parameters<typeof call>[1]) =>
  plansDuring((DB) => call(path, { ...options, env: { ...options?.env, DB } }))

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

/**
 * What reads a list whole, or in the order of an index, as further tests show; what reads nothing;
 * and the import and publishing, whose scans are of their own body.
 */
const SCANS =
  /^GET .*\/(health|changelogs|audit-events|processes|api-tokens)( of |$)|sync-from-git|publish|resend|forgot/
const isOfList = (name: string) =>
  referenceLists.some(({ path }) => name.startsWith(`GET /v1${path}`))

it.each(Object.keys(cases).filter((name) => !SCANS.test(name) && !isOfList(name)))(
  '%s scans no table',
  async (name) => {
    const { path, call: options } = await newRequest(name)
    const plans = await plansOf(path, options)
    expect(plans.some((detail) => detail.startsWith('SEARCH'))).toBe(true)
    expect(
      plans.filter((detail) =>
        /^SCAN (?!CONSTANT ROW|\(subquery|subject$|json_each|listed |chunk$|item )/.test(
          detail,
        ),
      ),
    ).toEqual([])
  },
)

it('POST /v1/auth/login by CPF scans no table', async () => {
  const plans = await plansOf('/auth/login', {
    body: { cpf: '52998224725', password: PASSWORD },
  })
  expect(plans.join()).toMatch('SEARCH users USING INDEX')
  expect(plans.filter((detail) => /^SCAN (?!CONSTANT ROW)/.test(detail))).toEqual([])
})

it.each(referenceLists)(
  'POST /v1$path finds a taken name and the new row by an index',
  async ({ path, table }) => {
    const token = await administratorToken()
    const plans = await plansOf(path, {
      token,
      body: { name: newText(), description: 'Um', state: 'SP' },
    })
    const reads = plans.filter((detail) => detail.includes(` ${table} `))
    expect(reads.join()).toMatch(
      new RegExp(`SEARCH ${table} USING (COVERING )?INDEX ${table}_by_name`),
    )
  },
)

it.each([
  ['/changelogs', undefined],
  ['/changelogs', administratorToken],
  ['/audit-events', administratorToken],
  ['/audit-events?date_from=2026-01-01&date_to=2026-12-31', administratorToken],
])(
  'GET /v1%s reads its page in the order of an index, without sorting',
  async (path, token) => {
    const plans = await plansOf(path, { token: await token?.() })
    const reads = plans.filter((detail) =>
      /^(SCAN|SEARCH) (changelogs|audit_events|users|roles)/.test(detail),
    )
    expect(reads.length).toBeGreaterThanOrEqual(2)
    expect(
      reads.every((detail) =>
        /USING ((COVERING )?INDEX|INTEGER PRIMARY KEY)/.test(detail),
      ),
    ).toBe(true)
    expect(plans.join()).not.toContain('TEMP B-TREE')
  },
)

it.each([
  ['actor_id', crypto.randomUUID()],
  ['subject_id', crypto.randomUUID()],
  ['related_id', crypto.randomUUID()],
  ['api_token_id', crypto.randomUUID()],
])(
  'GET /v1/audit-events?%s searches an index of it, in order and by date',
  async (filter, value) => {
    const query = `${filter}=${value}&date_from=2026-01-01&date_to=2026-12-31`
    const plans = await plansOf(`/audit-events?${query}`, {
      token: await administratorToken(),
    })
    const reads = plans.filter((detail) => detail.includes('audit_events'))
    expect(reads).toHaveLength(2) // the page and the count
    for (const detail of reads) {
      expect(detail).toMatch(
        new RegExp(
          `^SEARCH .* USING .*INDEX .* \\(${filter}=\\? AND created_at>\\? AND created_at<\\?\\)$`,
        ),
      )
    }
    expect(plans.join()).not.toContain('TEMP B-TREE')
  },
)

it('GET /v1/audit-events?action looks for the action in the index that has the order', async () => {
  const plans = await plansOf('/audit-events?action=session.ended', {
    token: await administratorToken(),
  })
  const reads = plans.filter((detail) => detail.includes('audit_events'))
  const index = expect.stringMatching(
    /^SCAN audit_events USING (INDEX audit_events_by_time|COVERING INDEX \w+)$/,
  )
  expect(reads).toEqual([index, index])
  expect(plans.join()).not.toContain('TEMP B-TREE')
})

it.each([
  [
    'version=v1.2.0',
    /^SEARCH changelogs USING .*changelogs_by_version \(version_major=\? AND version_minor=\? AND/,
  ],
  [
    'category=Melhoria',
    /^SEARCH changelogs USING .*changelogs_by_category \(category=\?\)$/,
  ],
  [
    'category=Melhoria&date_from=2026-01-01',
    /changelogs_by_category \(category=\? AND date>\?\)$/,
  ],
])(
  'GET /v1/changelogs?%s reads the matches by an index, to anyone',
  async (query, search) => {
    for (const token of [undefined, await administratorToken()]) {
      const plans = await plansOf(`/changelogs?${query}`, { token })
      const reads = plans.filter((detail) => /^(SCAN|SEARCH) changelogs/.test(detail))
      expect(reads).toHaveLength(2) // the page and the count
      for (const detail of reads) expect(detail).toMatch(search)
    }
  },
)

/** Of a page, whose rows were found in order; another one would sort all matches. */
const SORT = 'USE TEMP B-TREE FOR ORDER BY'

it('GET /v1/informers reads its page and count in name order, and sorts no more than the page', async () => {
  const plans = await plansOf('/informers', { token: await administratorToken() })
  const reads = plans.filter((detail) => detail.includes('users_by_name'))
  expect(reads.length).toBeGreaterThanOrEqual(2)
  expect(new Set(reads)).toEqual(
    new Set(['SEARCH users USING COVERING INDEX users_by_name (role_id=?)']),
  )
  expect(plans.filter((detail) => detail === SORT)).toHaveLength(1)
})

it.each(['group_id', 'process_id'])(
  'GET /v1/informers?%s finds the people by an index of the groups',
  async (filter) => {
    const plans = await plansOf(`/informers?${filter}=${crypto.randomUUID()}`, {
      token: await administratorToken(),
    })
    const index = `informer_groups_by_${filter.replace('_id', '')}`
    const members = plans.filter(
      (detail) =>
        detail === `SEARCH informer_groups USING COVERING INDEX ${index} (${filter}=?)`,
    )
    expect(members).toHaveLength(2) // the page and the count
    expect(plans.filter((detail) => detail === SORT)).toHaveLength(1)
    expect(plans.join()).not.toContain('users_by_name')
  },
)

it('the cron trigger scans no table', async () => {
  await call('/auth/password/forgot', { body: { email: 'ana@example.org' } })
  await env.DB.exec(
    "insert into email_outbox (email, kind, user_id) select email, 'email_changed', id from users where email = 'ana@example.org'",
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

it('GET /v1/processes reads its page by protocol, and counts informers in an index', async () => {
  const plans = await plansOf('/processes', { token: await administratorToken() })
  expect(plans).toContain('SCAN processes USING INDEX processes_protocol_folded_unique')
  expect(plans.filter((detail) => detail.includes('informer_groups'))).toEqual([
    'SEARCH informer_groups USING COVERING INDEX informer_groups_by_group (group_id=?)',
  ])
})

it('GET /v1/api-tokens reads its page in the order of an index, without sorting', async () => {
  const plans = await plansOf('/api-tokens', { token: await administratorToken() })
  expect(plans).toContain('SCAN api_tokens USING INDEX api_tokens_in_order')
  expect(plans.join()).not.toContain('TEMP B-TREE')
})
