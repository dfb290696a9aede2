import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { newUser } from '../support/helper.ts'
import { associate, complete, createProcess, GROUP, send } from '../support/processes.ts'
import { completionOf } from '#domain/completion.ts'

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

const PEOPLE = 4

/** A group: its size; and for each person, whether they are in it, and what they completed. */
const group = fc.record({
  size: fc.integer({ min: 0, max: 3 }),
  people: fc.array(fc.record({ isIn: fc.boolean(), completed: fc.subarray([0, 1, 2]) }), {
    minLength: PEOPLE,
    maxLength: PEOPLE,
  }),
})

describe('GET /v1/processes/{process}', () => {
  it('counts how far random people are, in the groups of random processes', async () => {
    const groups = fc.array(group, { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(fc.tuple(groups, groups), async (processes) => {
        const people = await Promise.all(
          Array.from({ length: PEOPLE }, () => newUser('informer')),
        )
        /** The statuses of the people in each group of a process, by its id. */
        const statuses: Record<string, string[][]> = {}
        for (const chosen of processes) {
          const process = await newProcess(chosen.map(({ size }) => size))
          const ofProcess = (statuses[process.id] = chosen.map((): string[] => []))
          for (const [at, { id, questionnaires }] of process.groups.entries()) {
            for (const [who, person] of people.entries()) {
              const { isIn = false, completed = [] } = chosen[at]?.people[who] ?? {}
              if (!isIn) continue
              await associate(person.id, id)
              const isDone = questionnaires.map((_, number) => completed.includes(number))
              for (const [number, one] of questionnaires.entries()) {
                if (isDone[number]) await complete(person.id, one.id)
              }
              const completion = isDone.map((done) => ({
                completed_at: done ? '' : null,
              }))
              ofProcess[at]?.push(completionOf(completion).questionnaire_status)
            }
          }
        }
        for (const [id, ofGroups] of Object.entries(statuses)) {
          const countOf = (all: string[], status: string) =>
            all.filter((one) => one === status).length
          expect((await read(id)).groups).toMatchObject(
            ofGroups.map((all) => ({
              informers: all.length,
              pending: countOf(all, 'Pendente'),
              in_progress: countOf(all, 'Em andamento'),
              concluded: countOf(all, 'Concluído'),
            })),
          )
        }
      }),
      { numRuns: runs(15) },
    )
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
