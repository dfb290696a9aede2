import { describe, expect, it } from 'vitest'
import { complete, createProcess, GROUP, newMember, send } from '../support/processes.ts'

type Event = {
  action: string
  subject_id: string
  related_type: string | null
  related_id: string | null
}

/** The records of a query, oldest first: action, subject, and what it is related to. */
async function recordsOf(query: string) {
  const { status, body } = await send('GET', `/audit-events?per_page=100&${query}`)
  expect(status).toBe(200)
  const events = (body.data as Event[]).toReversed()
  return events.map(({ action, subject_id, related_type, related_id }) => [
    action,
    subject_id,
    related_type,
    related_id,
  ])
}

/** The ids of a process with two groups, and of an informer in the second one. */
async function newIds() {
  const groups = ['Grupo 1', 'Grupo 2'].map((name) => ({
    ...GROUP,
    name,
    questionnaires: ['Um', 'Dois'],
  }))
  const process = await createProcess({ groups })
  const [one, two] = process.groups
  const [completed, pending] = two.questionnaires
  const informer = await newMember(two.id)
  await complete(informer, completed.id)
  const ids = { process, one, two, completed, pending }
  const entries = Object.entries(ids).map(([name, { id }]) => [name, String(id)])
  return { informer, ...Object.fromEntries(entries) } as Record<string, string>
}

describe('GET /v1/audit-events?related_id', () => {
  it.each([
    ['PUT', '/informers/{informer}/groups/{one}', 'group.associated', 'one'],
    ['DELETE', '/informers/{informer}/groups/{two}', 'group.dissociated', 'two'],
    ['DELETE', '/processes/{process}/informers', 'group.dissociated', 'two'],
    [
      'PUT',
      '/informers/{informer}/questionnaires/{pending}',
      'questionnaire.completed',
      'pending',
    ],
    [
      'DELETE',
      '/informers/{informer}/questionnaires/{completed}',
      'questionnaire.reopened',
      'completed',
    ],
  ])('finds %s /v1%s as %s', async (method, path, action, related) => {
    const ids = await newIds()
    const { informer, [related]: id } = ids
    await send(
      method,
      path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name])),
    )
    const record = [action, informer, action.split('.')[0], id]
    expect(await recordsOf(`related_id=${id}`)).toEqual([record])
    expect(await recordsOf(`subject_id=${informer}&related_id=${id}`)).toEqual([record])
    const others = Object.values(ids).filter((one) => one !== id)
    for (const other of others) expect(await recordsOf(`related_id=${other}`)).toEqual([])
  })

  it('finds the groups of a new informer, each in a record of its own', async () => {
    const { one = '', two = '' } = await newIds()
    const body = { first_name: 'Rute', group_id: one, group_ids: [two.toUpperCase()] }
    const { id } = (await send('POST', '/informers', body)).body.data
    for (const group of [one, two]) {
      expect(await recordsOf(`related_id=${group}`)).toEqual([
        ['group.associated', id, 'group', group],
      ])
    }
  })
})

it.each([
  ['DELETE', '/processes/{process}/informers', undefined, 'process'],
  ['PATCH', '/groups/{one}', { description: 'Outra' }, 'one'],
  ['PATCH', '/questionnaires/{pending}', { title: 'Três' }, 'pending'],
])('%s /v1%s is related to nothing', async (method, path, body, subject) => {
  const ids = await newIds()
  await send(method, path.replace(`{${subject}}`, ids[subject] ?? ''), body)
  const records = await recordsOf(`subject_id=${ids[subject]}`)
  expect(records.at(-1)?.slice(1)).toEqual([ids[subject], null, null])
})
