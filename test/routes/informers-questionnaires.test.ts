import { beforeAll, describe, expect, it, vi } from 'vitest'
import { callJson, counting, tokenFor } from '../support/helper.ts'
import { create, patch, read } from '../support/informers.ts'
import {
  associate,
  createProcess,
  GROUP,
  insertLastProcess,
  send,
} from '../support/processes.ts'

beforeAll(insertLastProcess)

const TITLES = ['Um', 'Árvore', 'dois', 'Quatro']
const IN_ORDER = ['Árvore', 'dois', 'Quatro', 'Um']

type Questionnaire = { id: string; title: string }

/** An informer in a group of four questionnaires. */
async function newMember() {
  const process = await createProcess({ groups: [{ ...GROUP, questionnaires: TITLES }] })
  const [group] = process.groups
  const { id } = await create({ first_name: 'Rute', group_id: group.id })
  return {
    id: id as string,
    group: group as { id: string; questionnaires: Questionnaire[] },
    completion: ({ id: questionnaireId }: Questionnaire) =>
      `/informers/${id}/questionnaires/${questionnaireId}`,
  }
}

/** When each questionnaire of the first pair was completed, in their order. */
// oxlint-disable-next-line no-explicit-any -- the informer of a response
const completedOf = (informer: any): [string, string | null][] =>
  informer.processes_groups[0].questionnaires.map(
    ({ title, completed_at }: { title: string; completed_at: string | null }) => [
      title,
      completed_at,
    ],
  )

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

describe('the questionnaires of a pair', () => {
  it('are in the order of the process, completed or not', async () => {
    const { id, group, completion } = await newMember()
    const [first, second] = group.questionnaires
    if (!first || !second) throw new Error('no questionnaires')
    expect(completedOf(await read(id))).toEqual(IN_ORDER.map((title) => [title, null]))

    await send('PUT', completion(second))
    const { body } = await send('PUT', completion(first))

    const at = expect.stringMatching(TIMESTAMP)
    expect(body.data.processes_groups[0]).toMatchObject({
      questionnaire_status: 'Em andamento',
      questionnaires: [
        { ...first, completed_at: at },
        { ...second, completed_at: at },
        { title: 'Quatro', completed_at: null },
        { title: 'Um', completed_at: null },
      ],
    })
    const inProcess = group.questionnaires.map(({ title }) => title)
    expect(completedOf(body.data).map(([title]) => title)).toEqual(inProcess)
  })

  it('are alike in the list, in the one and in the response to a change', async () => {
    const { id, group, completion } = await newMember()
    const [first] = group.questionnaires
    if (!first) throw new Error('no questionnaires')
    const { body } = await send('PUT', completion(first))
    expect(await read(id)).toEqual(body.data)
    expect((await send('GET', `/informers?group_id=${group.id}`)).body.data).toEqual([
      body.data,
    ])
    const patched = (await patch(id, { phone: '1' })).body.data
    expect(patched.processes_groups).toEqual(body.data.processes_groups)
  })

  it('keep the first recording until it is taken back', async () => {
    const { id, group, completion } = await newMember()
    const [questionnaire] = group.questionnaires
    if (!questionnaire) throw new Error('no questionnaires')
    const completedAt = async () => completedOf(await read(id))[0]?.[1] ?? null

    await send('PUT', completion(questionnaire))
    const first = await completedAt()
    await vi.waitFor(() => expect(new Date().toISOString() > String(first)).toBe(true))
    expect((await send('PUT', completion(questionnaire))).status).toBe(200)
    expect(await completedAt()).toBe(first)

    await send('DELETE', completion(questionnaire))
    expect(await completedAt()).toBeNull()
    await send('PUT', completion(questionnaire))
    expect(String(await completedAt()) > String(first)).toBe(true)
  })

  it('are those of each pair, and of the informer alone', async () => {
    const { id, group, completion } = await newMember()
    const other = await newMember()
    await associate(id, other.group.id)
    await associate(other.id, group.id)
    const [questionnaire] = group.questionnaires
    if (!questionnaire) throw new Error('no questionnaires')
    await send('PUT', completion(questionnaire))

    // oxlint-disable-next-line no-explicit-any -- the pairs of a response
    const completedIn = ({ processes_groups }: any): number[] =>
      processes_groups.map(
        ({ questionnaires }: { questionnaires: { completed_at: string | null }[] }) =>
          questionnaires.filter(({ completed_at }) => completed_at !== null).length,
      )
    expect(completedIn(await read(id))).toEqual([1, 0])
    expect(completedIn(await read(other.id))).toEqual([0, 0])
  })

  it('are none where the group has none', async () => {
    const process = await createProcess({ groups: [GROUP] })
    const { id } = await create({ group_id: process.groups[0].id })
    expect(await read(id)).toMatchObject({
      processes_groups: [{ questionnaire_status: 'Pendente', questionnaires: [] }],
    })
  })

  it('are nothing that a cover shows', async () => {
    const { id } = await newMember()
    const token = await tokenFor({ id, role: 'informer' })
    const { body } = await callJson('/cover', { token })
    expect(body.data.processes_groups[0]).not.toHaveProperty('questionnaires')
  })

  it('take no round trip more, and one row for each and its completion', async () => {
    const { id, group, completion } = await newMember()
    const cost = async (path: string) => {
      const { binding, count } = counting()
      expect((await send('GET', path, undefined, { env: { DB: binding } })).status).toBe(
        200,
      )
      return [count.roundTrips, count.rowsRead]
    }
    const list = `/informers?group_id=${group.id}`
    const [ofList, ofOne] = [await cost(list), await cost(`/informers/${id}`)]
    expect([ofList, ofOne]).toEqual([
      [2, 24],
      [2, 19],
    ])
    for (const questionnaire of group.questionnaires) {
      await send('PUT', completion(questionnaire))
    }
    expect(await cost(list)).toEqual([2, 28])
  })
})
