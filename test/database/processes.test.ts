import { beforeAll, expect, it } from 'vitest'
import { counting } from '../support/helper.ts'
import {
  complete,
  createProcess,
  insertLastProcess,
  newMember,
  newProtocol,
  send,
} from '../support/processes.ts'

beforeAll(insertLastProcess)

/** The rows that a request reads. */
async function rowsReadBy(method: string, path: string, body?: object) {
  const { binding, count } = counting()
  const response = await send(method, path, body, { env: { DB: binding } })
  expect(response.status).toBeLessThan(300)
  return count.rowsRead
}

/** The rows that a pair is read by: in its index, and as counted. */
const PAIR = 2
/** The rows that a completion is read by: in its index, and its questionnaire. */
const COMPLETION = 2
/** The row at which a search for completions ends. */
const END = 1

it('GET /v1/processes/{process} is one pass over its pairs and their completions', async () => {
  const { id, groups } = await createProcess()
  const [group] = groups
  await newMember(group.id)
  let expected = 17
  expect(await rowsReadBy('GET', `/processes/${id}`)).toBe(expected)
  for (const completed of [0, 0, 1, 2, 0, 2]) {
    const member = await newMember(group.id)
    for (const questionnaire of group.questionnaires.slice(0, completed)) {
      await complete(member, questionnaire.id)
    }
    expected += PAIR + (completed === 0 ? 0 : completed * COMPLETION + END)
    expect(await rowsReadBy('GET', `/processes/${id}`)).toBe(expected)
  }
})

it.each([
  ['GET /v1/processes/{process} reads no more where others have more', true],
  ['POST /v1/processes with groups_of reads no informers of the source', false],
])('%s', async (_, isRead) => {
  const [process, other] = [await createProcess(), await createProcess()]
  const body = () => ({ name: 'Sé', protocol: newProtocol(), groups_of: process.id })
  const rowsRead = () =>
    isRead
      ? rowsReadBy('GET', `/processes/${process.id}`)
      : rowsReadBy('POST', '/processes', body())
  const before = await rowsRead()
  const [group] = (isRead ? other : process).groups
  for (let more = 0; more < 5; more++) {
    await complete(await newMember(group.id), group.questionnaires[0].id)
  }
  expect(await rowsRead()).toBe(before)
})
