import { beforeAll, expect, it } from 'vitest'
import { type Call, counting } from '../support/helper.ts'
import {
  complete,
  createProcess,
  GROUP,
  insertLastProcess,
  newMember,
  newProtocol,
  send,
} from '../support/processes.ts'

beforeAll(insertLastProcess)

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

it.each([
  ['GET /v1/processes/{process} reads no more where others have more', 1],
  ['POST /v1/processes with groups_of reads no informers of the source', 0],
])('%s', async (_, isOther) => {
  const [source, other] = [await createProcess(), await createProcess()]
  const body = () => ({ name: 'Sé', protocol: newProtocol(), groups_of: source.id })
  const cost = () =>
    isOther
      ? costOf('GET', [`/processes/${source.id}`])
      : costOf('POST', ['/processes', body()])
  await newMember(source.groups[0].id)
  const before = await cost()
  const [group] = (isOther ? other : source).groups
  for (let more = 0; more < 5; more++) {
    await complete(await newMember(group.id), group.questionnaires[0].id)
  }
  expect(await cost()).toEqual(before)
})
