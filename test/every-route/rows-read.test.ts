import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, counting, newUser, tokenOfNew } from '../support/helper.ts'
import { cases, newRequest } from '../support/routes.ts'

const SMALL = 1_000
const LARGE = 10_000
/** What more a page may read that was not full before. */
const PAGE = 100

/** A UUID that sorts among others by its number. */
const uuid = (table: string) =>
  `printf('%08d-0000-4000-8000-${table.padEnd(12, '0')}', i)`

/**
 * Rows for every table that grows with use, from one number to another; each informer is in one
 * group of many.
 */
const ROWS: [table: string, columns: string, values: string][] = [
  [
    'processes',
    'id, name, protocol, name_folded, protocol_folded',
    `${uuid('c')}, 'Processo ' || i, 'P-' || i, 'processo ' || i, 'p-' || i`,
  ],
  [
    'groups',
    'id, process_id, name, color, description, name_folded',
    `${uuid('a')}, ${uuid('c')}, 'Grupo', '#000000', 'Texto', 'grupo'`,
  ],
  [
    'questionnaires',
    'id, group_id, title, title_folded',
    `${uuid('d')}, ${uuid('a')}, 'Título', 'titulo'`,
  ],
  [
    'users',
    'id, role_id, first_name, name_folded, initials, email, cpf, category_id, diocese_id, treatment_pronoun_id',
    `${uuid('f')}, 1, 'Nome', 'nome ' || i, 'N', i || '@example.net', printf('%011d', i), ${Array(3).fill('iif(i = 7, 12, null)')}`,
  ],
  [
    'informer_groups',
    'informer_id, group_id, process_id, name_folded',
    `${uuid('f')}, ${uuid('a')}, ${uuid('c')}, 'nome ' || i`,
  ],
  ['informer_completions', 'informer_id, questionnaire_id', `${uuid('f')}, ${uuid('d')}`],
  [
    'audit_events',
    'id, actor_id, api_token_id, action, subject_type, subject_id, related_type, related_id, request_id',
    `${uuid('e')}, ${uuid('f')}, ${uuid('2')}, 'group.associated', 'informer', ${uuid('f')}, 'group', ${uuid('a')}, ${uuid('e')}`,
  ],
  [
    'api_tokens',
    'id, token_hash, name, scopes, created_by, expires_on',
    `${uuid('2')}, i, 'Programa', '["lists:write"]', ${uuid('f')}, '2999-12-31'`,
  ],
  [
    'changelogs',
    'id, version, date, title, description, category, is_published, git_commit_hash',
    `${uuid('b')}, 'v0.0.' || i, '2020-01-01', 'Um', 'Dois', 'Correção', 1, printf('%040d', i)`,
  ],
  ['imported_commits', 'hash', "printf('%040d', i)"],
  [
    'email_outbox',
    'email, kind, due_at',
    "i || '@example.net', 'password_reset', '9999'",
  ],
  [
    'notices',
    'email, kind, user_id, due_at',
    `i || '@example.net', 'password_changed', ${uuid('f')}, '9999'`,
  ],
  [
    'email_tokens',
    'token_hash, user_id, kind, expires_at',
    `i, ${uuid('f')}, 'password_reset', '9999'`,
  ],
  ['failed_logins', 'id, identifier, address, failed_at', `${uuid('1')}, i, i, '9999'`],
  ['wrong_codes', 'id, user_id', `${uuid('3')}, ${uuid('f')}`],
  ['known_addresses', 'identifier, address, last_login_at', "i, i, '9999'"],
  ['sent_emails', 'email_hash, kind, sent_at', "i, 'password_reset', '9999'"],
  ['transactions', 'id, committed_at', "i, '9999'"],
  [
    'idempotency_keys',
    'key_hash, content_hash, created_id, created_at',
    `i, i, ${uuid('f')}, '9999'`,
  ],
]

async function grow(from: number, to: number) {
  const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})`
  await env.DB.batch(
    ROWS.map(([table, columns, values]) =>
      env.DB.prepare(
        `${numbers} insert into ${table} (${columns}) select ${values} from n`,
      ),
    ),
  )
}

const ID = (table: string, number = 7) =>
  `${String(number).padStart(8, '0')}-0000-4000-8000-${table.padEnd(12, '0')}`

/** Queries of lists; each reads a page, and what it says beside it. */
const QUERIES = [
  '/changelogs?version=v0.0.7',
  '/changelogs?category=Nova+Funcionalidade',
  '/changelogs?category=Correção&date_from=2999-01-01',
  '/changelogs?date_to=2019-01-01',
  ...[`actor_id=${ID('f', 9)}`, `subject_id=${ID('f', 9)}`].flatMap((who) => [
    `/audit-events?${who}`,
    `/audit-events?${who}&date_from=2999-01-01`,
  ]),
  `/audit-events?related_id=${ID('a')}`,
  `/audit-events?api_token_id=${ID('2')}`,
  '/audit-events?date_from=2999-01-01',
  '/audit-events?date_to=2019-01-01&action=session.ended',
  '/informers?search=00000000777',
  '/informers?search=ninguem',
  `/informers?group_id=${ID('a')}`,
  `/informers?group_id=${ID('a')}&is_concluded=true`,
  `/informers?group_id=${ID('a')}&search=nome`,
  `/informers?process_id=${ID('c')}`,
  `/informers?process_id=${ID('c')}&group_id=${ID('a')}`,
  `/informers?process_id=${ID('c')}&questionnaire_status=Concluído`,
  '/informers?category_id=12',
  '/informers?diocese_id=12&search=nome',
  '/informers?treatment_pronoun_id=12',
  '/informers?is_email_verified=false',
]
const LISTS = Object.fromEntries(QUERIES.map((path) => [`GET /v1${path}`, path]))

/** The totals of these pages are a pass over an index; a search that finds few is another one. */
const COUNTS =
  /^GET \/v1\/(informers(\?(search|is_email_verified)=.*)?|administrators|changelogs|audit-events|processes|api-tokens)( of an administrator)?$/

type Cost = { roundTrips: number; rowsRead: number; rowsWritten: number }
const costs = { [SMALL]: new Map<string, Cost>(), [LARGE]: new Map<string, Cost>() }
/** Imports, which are among the cases, delete earlier ones. */
const NAMES = [...Object.keys(LISTS), ...Object.keys(cases)]

async function measure(size: typeof SMALL | typeof LARGE) {
  for (const name of NAMES) {
    const list = LISTS[name]
    const { path, call: options } = list
      ? { path: list, call: { token: await tokenOfNew(await newUser('administrator')) } }
      : await newRequest(name)
    const { binding, count, behind } = counting()
    const { ok } = await call(path, { ...options, env: { ...options.env, DB: binding } })
    expect([name, ok]).toEqual([name, true])
    // what is recorded behind a query of a list depends on those before it
    const parts = list ? [count] : [count, behind]
    const sum = (key: keyof Cost) => parts.reduce((total, part) => total + part[key], 0)
    costs[size].set(name, {
      roundTrips: sum('roundTrips'),
      rowsRead: sum('rowsRead'),
      rowsWritten: sum('rowsWritten'),
    })
  }
}

describe(`with ${LARGE} rows in every table instead of ${SMALL}`, () => {
  beforeAll(async () => {
    await grow(1, SMALL)
    await measure(SMALL)
    await grow(SMALL, LARGE)
    await measure(LARGE)
  })

  it.each(NAMES.filter((name) => !COUNTS.test(name)))(
    '%s reads and writes as many rows',
    (name) => {
      const { rowsRead = 0, ...others } = costs[LARGE].get(name) ?? {}
      expect(costs[SMALL].get(name)).toMatchObject(others)
      // a few depend on the order of random ids; a list, read whole, has the rows that its own
      // requests created
      expect(
        Math.abs(rowsRead - (costs[SMALL].get(name)?.rowsRead ?? 0)),
      ).toBeLessThanOrEqual(5)
    },
  )

  it.each(NAMES.filter((name) => COUNTS.test(name)))(
    '%s reads an index entry more for each row',
    (name) => {
      const [few, many] = [costs[SMALL].get(name), costs[LARGE].get(name)]
      const passes = name.includes('search=') ? 2 : 1
      expect((many?.rowsRead ?? 0) - (few?.rowsRead ?? 0)).toBeLessThanOrEqual(
        passes * (LARGE - SMALL) + PAGE + NAMES.length, // each may record an event
      )
    },
  )
})
