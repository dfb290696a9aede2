import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { type Call, counting } from '../support/helper.ts'
import {
  complete,
  createProcess,
  GROUP,
  newMember,
  newProtocol,
  send,
} from '../support/processes.ts'

/**
 * Rows that sort after all others: a search that ends at the last row of an index reads one less.
 */
beforeAll(() =>
  env.DB.batch(
    [
      "processes (id, name, protocol, name_folded, protocol_folded) values ('z', 'S', 'z', 's', 'z')",
      "groups (id, process_id, name, color, description, name_folded) values ('z', 'z', 'G', '#000000', '', 'g')",
      "questionnaires (id, group_id, title, title_folded) values ('z', 'z', 'T', 't')",
      "users (id, role_id, first_name, name_folded, initials) values ('z', 1, 'A', 'a', 'A')",
      "informer_groups (informer_id, group_id, process_id, name_folded) values ('z', 'z', 'z', 'a')",
      "informer_completions (informer_id, questionnaire_id) values ('z', 'z')",
    ].map((row) => env.DB.prepare(`insert into ${row}`)),
  ),
)

type New = Awaited<ReturnType<typeof createProcess>>
const OTHER = { ...GROUP, name: 'Grupo 2', questionnaires: ['Um'] }

/**
 * Requests with their round trips, the first of which reads the token, and the rows that they read.
 * Each has a new process.
 */
const REQUESTS: [
  string,
  number,
  number,
  (process: New) => [path: string, body?: unknown, options?: Call],
][] = [
  ['GET', 2, 58, () => ['/processes?per_page=1']],
  ['GET', 2, 15, ({ id }) => [`/processes/${id}`]],
  [
    'POST',
    3,
    16,
    () => ['/processes', { name: 'Sé', protocol: newProtocol(), groups: [OTHER] }],
  ],
  [
    'POST',
    4,
    30,
    ({ id }) => ['/processes', { name: 'Sé', protocol: newProtocol(), groups_of: id }],
  ],
  [
    'POST',
    3,
    6,
    () => [
      '/processes',
      { name: 'Sé', protocol: newProtocol() },
      { headers: { 'Idempotency-Key': newProtocol() } },
    ],
  ],
  ['PATCH', 2, 19, ({ id }) => [`/processes/${id}`, { name: 'Outra' }]],
  ['PATCH', 3, 19, ({ id }) => [`/processes/${id}`, { protocol: newProtocol() }]],
  ['DELETE', 2, 17, ({ id }) => [`/processes/${id}`]],
  ['POST', 3, 33, ({ id }) => [`/processes/${id}/groups`, OTHER]],
  ['PATCH', 3, 21, ({ groups }) => [`/groups/${groups[0].id}`, { name: 'Outro' }]],
  ['DELETE', 2, 11, ({ groups }) => [`/groups/${groups[0].id}`]],
  [
    'POST',
    3,
    29,
    ({ groups }) => [`/groups/${groups[0].id}/questionnaires`, { title: 'Outro' }],
  ],
  [
    'PATCH',
    3,
    22,
    ({ groups }) => [
      `/questionnaires/${groups[0].questionnaires[0].id}`,
      { title: 'Outro' },
    ],
  ],
  ['DELETE', 2, 6, ({ groups }) => [`/questionnaires/${groups[0].questionnaires[0].id}`]],
]

/**
 * The round trips of a request, and the rows that it reads; of a list, but for those that it
 * counts.
 */
async function costOf(method: string, [path, body, options]: [string, unknown?, Call?]) {
  const { binding, count } = counting()
  const response = await send(method, path, body, { ...options, env: { DB: binding } })
  expect(response.status).toBeLessThan(300)
  const { total = 0 } = response.body.pagination ?? {}
  return { roundTrips: count.roundTrips, rowsRead: count.rowsRead - total }
}

/** The rows that a pair is read by: in its index, and as counted. */
const PAIR = 2
/** The rows that a completion is read by: in its index, and its questionnaire. */
const COMPLETION = 2
/** The row at which a search for completions ends. */
const END = 1

it.each(REQUESTS)(
  '%s needs %i round trips and reads %i rows, %#',
  async (method, roundTrips, rowsRead, request) => {
    expect(await costOf(method, request(await createProcess()))).toEqual({
      roundTrips,
      rowsRead,
    })
  },
)

it('GET /v1/processes/{process} is one pass over its pairs and their completions', async () => {
  const read = async (id: string) => (await costOf('GET', [`/processes/${id}`])).rowsRead
  const { id, groups } = await createProcess()
  const [group] = groups
  await newMember(group.id)
  let expected = await read(id)
  for (const completed of [0, 0, 1, 2, 0, 2]) {
    const member = await newMember(group.id)
    for (const questionnaire of group.questionnaires.slice(0, completed)) {
      await complete(member, questionnaire.id)
    }
    expected += PAIR + (completed === 0 ? 0 : completed * COMPLETION + END)
    expect(await read(id)).toBe(expected)
  }
})

it('GET /v1/processes/{process} reads no more where others have more', async () => {
  const { id, groups } = await createProcess()
  const other = await createProcess()
  await newMember(groups[0].id)
  const before = await costOf('GET', [`/processes/${id}`])
  for (let more = 0; more < 5; more++) {
    const member = await newMember(other.groups[0].id)
    await complete(member, other.groups[0].questionnaires[0].id)
  }
  expect(await costOf('GET', [`/processes/${id}`])).toEqual(before)
})

it('POST /v1/processes with groups_of reads no informers of the source', async () => {
  const source = await createProcess()
  const copy = () =>
    costOf('POST', [
      '/processes',
      { name: 'Sé', protocol: newProtocol(), groups_of: source.id },
    ])
  const before = await copy()
  for (let more = 0; more < 5; more++) {
    const member = await newMember(source.groups[0].id)
    await complete(member, source.groups[0].questionnaires[0].id)
  }
  expect(await copy()).toEqual(before)
})
