import { expect, it } from 'vitest'
import { counting } from '../support/helper.ts'
import { complete, createProcess, newMember, send } from '../support/processes.ts'

/** The rows that a pair is read by: in its index, as counted, and where its completions end. */
const PAIR = 3
/** The rows that a completion is read by: in its index, and its questionnaire. */
const COMPLETION = 2
const MEMBERS = 5

it('GET /v1/processes/{process} is one pass over its pairs and their completions', async () => {
  const { id, groups } = await createProcess()
  const [{ id: groupId, questionnaires }] = groups
  const rowsRead = async () => {
    const { binding, count } = counting()
    const options = { env: { DB: binding } }
    expect((await send('GET', `/processes/${id}`, undefined, options)).status).toBe(200)
    return count.rowsRead
  }
  await newMember(groupId)
  const before = await rowsRead()
  for (let number = 0; number < MEMBERS; number++) {
    const member = await newMember(groupId)
    for (const questionnaire of questionnaires) await complete(member, questionnaire.id)
  }
  const more = MEMBERS * (PAIR + questionnaires.length * COMPLETION)
  expect((await rowsRead()) - before).toBeLessThanOrEqual(more + 1) // where an index ends
})
