import { describe, expect, it } from 'vitest'
import { newUser } from '../support/helper.ts'
import { associate, complete, createProcess, GROUP, send } from '../support/processes.ts'

type Group = { id: string; name: string; questionnaires: { id: string }[] }

/** A process with a group for each number, of so many questionnaires. */
async function newProcess(sizes: number[]): Promise<{ id: string; groups: Group[] }> {
  const groups = sizes.map((size, index) => ({
    ...GROUP,
    name: `Grupo ${index}`,
    questionnaires: Array.from({ length: size }, (_, number) => `Título ${number}`),
  }))
  return createProcess({ groups })
}

const read = async (id: string) => (await send('GET', `/processes/${id}`)).body.data

describe('GET /v1/processes/{process}', () => {
  it('counts how far people are in each group, by its own questionnaires', async () => {
    const sizes = [0, 1, 3]
    const [process, other] = [await newProcess(sizes), await newProcess(sizes)]
    // how many questionnaires each person has completed in the groups of one of the two
    for (const [where, completed] of [
      [process, 0],
      [process, 1],
      [process, 2],
      [process, 3],
      [other, 3],
      [other, 3],
    ] as const) {
      const { id } = await newUser('informer')
      for (const group of [...process.groups, ...other.groups]) {
        await associate(id, group.id)
        const isThere = where.groups.includes(group)
        for (const one of group.questionnaires.slice(0, isThere ? completed : 0)) {
          await complete(id, one.id)
        }
      }
    }
    await associate((await newUser('informer')).id, process.groups[1]?.id ?? '')

    const counts = (pending: number, in_progress: number, concluded: number) => ({
      informers: pending + in_progress + concluded,
      pending,
      in_progress,
      concluded,
    })
    expect((await read(process.id)).groups).toMatchObject([
      counts(6, 0, 0),
      counts(4, 0, 3),
      counts(3, 2, 1),
    ])
    expect((await read(other.id)).groups).toMatchObject([
      counts(6, 0, 0),
      counts(4, 0, 2),
      counts(4, 0, 2),
    ])
  })

  it('shows it in every response with one process, and not in the list', async () => {
    const { id, groups } = await newProcess([1])
    const [{ id: groupId, questionnaires }] = groups as [Group]
    const { id: person } = await newUser('informer')
    await associate(person, groupId)
    await complete(person, questionnaires[0]?.id ?? '')
    const counts = { informers: 1, pending: 0, in_progress: 0, concluded: 1 }
    for (const [method, path, body] of [
      ['GET', `/processes/${id}`],
      ['PATCH', `/processes/${id}`, { name: 'Outro' }],
      ['POST', `/processes/${id}/groups`, { ...GROUP, name: 'Último' }],
      ['PATCH', `/groups/${groupId}`, { color: '#000000' }],
      ['PATCH', `/questionnaires/${questionnaires[0]?.id}`, { title: 'Outro' }],
    ] as const) {
      expect((await send(method, path, body)).body.data.groups[0]).toMatchObject(counts)
    }
    // whoever had completed all has something to answer again
    const more = await send('POST', `/groups/${groupId}/questionnaires`, {
      title: 'Mais',
    })
    expect(more.body.data.groups[0]).toMatchObject({ in_progress: 1, concluded: 0 })

    const { protocol } = await read(id)
    const listed = await send('GET', `/processes?search=${protocol}`)
    expect(Object.keys(listed.body.data[0].groups[0]).toSorted()).toEqual(
      'color cover_texts description id informers name questionnaires'.split(' '),
    )
  })
})
