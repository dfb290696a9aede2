import { describe, expect, it } from 'vitest'
import { newUser } from '../support/helper.ts'
import { createProcess, GROUP, newMember, send } from '../support/processes.ts'

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

/** A process with two groups of two questionnaires. */
async function newGroups() {
  const groups = ['Grupo 1', 'Grupo 2'].map((name) => ({
    ...GROUP,
    name,
    questionnaires: ['Um', 'Dois'],
  }))
  const process = await createProcess({ groups })
  const [one, two] = process.groups
  return { process, one, two }
}

describe('GET /v1/audit-events?related_id', () => {
  it('finds who was associated with a group and dissociated from it', async () => {
    const { one, two } = await newGroups()
    const { id } = await newUser('informer')
    for (const group of [one, two]) {
      await send('PUT', `/informers/${id}/groups/${group.id}`)
    }
    await send('DELETE', `/informers/${id}/groups/${one.id}`)
    expect(await recordsOf(`related_id=${one.id}`)).toEqual([
      ['group.associated', id, 'group', one.id],
      ['group.dissociated', id, 'group', one.id],
    ])
    expect(await recordsOf(`related_id=${two.id}`)).toEqual([
      ['group.associated', id, 'group', two.id],
    ])
  })

  it('finds who completed a questionnaire, and of whom it was taken back', async () => {
    const { one } = await newGroups()
    const id = await newMember(one.id)
    const [first, second] = one.questionnaires
    const path = (questionnaire: { id: string }) =>
      `/informers/${id}/questionnaires/${questionnaire.id}`
    for (const questionnaire of [first, second]) await send('PUT', path(questionnaire))
    await send('DELETE', path(first))
    expect(await recordsOf(`related_id=${first.id}`)).toEqual([
      ['questionnaire.completed', id, 'questionnaire', first.id],
      ['questionnaire.reopened', id, 'questionnaire', first.id],
    ])
    expect(await recordsOf(`subject_id=${id}&related_id=${second.id}`)).toEqual([
      ['questionnaire.completed', id, 'questionnaire', second.id],
    ])
  })

  it('finds the groups of a new informer, each in a record of its own', async () => {
    const { one, two } = await newGroups()
    const group_ids = [two.id.toUpperCase()]
    const body = { first_name: 'Rute', group_id: one.id, group_ids }
    const { id } = (await send('POST', '/informers', body)).body.data
    for (const group of [one, two]) {
      expect(await recordsOf(`related_id=${group.id}`)).toEqual([
        ['group.associated', id, 'group', group.id],
      ])
    }
    expect(await recordsOf(`subject_id=${id}&action=informer.created`)).toEqual([
      ['informer.created', id, null, null],
    ])
  })

  it('finds each pair that ended when a process was emptied', async () => {
    const { process, one, two } = await newGroups()
    const inBoth = await newMember(one.id)
    await send('PUT', `/informers/${inBoth}/groups/${two.id}`)
    const inTwo = await newMember(two.id)

    await send('DELETE', `/processes/${process.id}/informers`)

    expect(await recordsOf(`related_id=${one.id}`)).toEqual([
      ['group.dissociated', inBoth, 'group', one.id],
    ])
    const ofTwo = await recordsOf(`related_id=${two.id}&action=group.dissociated`)
    expect(ofTwo.toSorted()).toEqual(
      [inBoth, inTwo].map((id) => ['group.dissociated', id, 'group', two.id]).toSorted(),
    )
    expect(await recordsOf(`subject_id=${process.id}&action=process.emptied`)).toEqual([
      ['process.emptied', process.id, null, null],
    ])
  })

  it('is null of everything else', async () => {
    const { one } = await newGroups()
    await send('PATCH', `/groups/${one.id}`, { description: 'Outra' })
    await send('PATCH', `/questionnaires/${one.questionnaires[0].id}`, { title: 'Três' })
    for (const id of [one.id, one.questionnaires[0].id]) {
      const records = await recordsOf(`subject_id=${id}`)
      expect(records).toHaveLength(1)
      expect(records[0]?.slice(1)).toEqual([id, null, null])
      expect(await recordsOf(`related_id=${id}`)).toEqual([])
    }
  })
})
