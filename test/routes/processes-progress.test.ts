import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { newUser } from '../support/helper.ts'
import { associate, complete, createProcess, GROUP, send } from '../support/processes.ts'
import { completionOf } from '#domain/completion.ts'

type Questionnaire = { id: string }
type Group = { id: string; name: string; questionnaires: Questionnaire[] }

const NAMES = {
  Pendente: 'pending',
  'Em andamento': 'in_progress',
  Concluído: 'concluded',
} as const

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

/** Numbers of people: of each group of two processes, which of its questionnaires each completed. */
const group = fc.record({
  size: fc.integer({ min: 0, max: 3 }),
  /** By person: whether they are in it, and which of the questionnaires they completed. */
  people: fc.array(fc.record({ isIn: fc.boolean(), completed: fc.subarray([0, 1, 2]) }), {
    minLength: 4,
    maxLength: 4,
  }),
})

describe('GET /v1/processes/{process}', () => {
  it('counts how far random people are, in the groups of random processes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(group, { maxLength: 3 }), { minLength: 2, maxLength: 2 }),
        async (processes) => {
          const people = await Promise.all([1, 2, 3, 4].map(() => newUser('informer')))
          const expected: Record<string, unknown>[][] = []
          const ids: string[] = []
          for (const chosen of processes) {
            const created = await newProcess(chosen.map(({ size }) => size))
            ids.push(created.id)
            const counts = []
            for (const [at, { people: members }] of chosen.entries()) {
              const { id, questionnaires } = created.groups[at] ?? {
                id: '',
                questionnaires: [],
              }
              const count = { informers: 0, pending: 0, in_progress: 0, concluded: 0 }
              for (const [who, { isIn, completed }] of members.entries()) {
                const person = people[who]?.id ?? ''
                if (!isIn) continue
                await associate(person, id)
                const done = questionnaires.filter((_, number) =>
                  completed.includes(number),
                )
                for (const questionnaire of done) await complete(person, questionnaire.id)
                const { questionnaire_status } = completionOf(
                  questionnaires.map((one) => ({
                    completed_at: done.includes(one) ? '' : null,
                  })),
                )
                count.informers += 1
                count[NAMES[questionnaire_status]] += 1
              }
              counts.push(count)
            }
            expected.push(counts)
          }
          for (const [at, id] of ids.entries()) {
            expect((await read(id)).groups).toMatchObject(expected[at] ?? [])
          }
        },
      ),
      { numRuns: runs(15) },
    )
  })

  it('agrees with the filter of the list of informers', async () => {
    const { id, groups } = await newProcess([2])
    const [{ id: groupId, questionnaires }] = groups as [Group]
    for (const completed of [0, 0, 0, 1, 1, 2]) {
      const person = await newUser('informer')
      await associate(person.id, groupId)
      for (const one of questionnaires.slice(0, completed)) {
        await complete(person.id, one.id)
      }
    }
    const [counts] = (await read(id)).groups
    expect(counts).toMatchObject({
      informers: 6,
      pending: 3,
      in_progress: 2,
      concluded: 1,
    })
    for (const [status, name] of Object.entries(NAMES)) {
      const query = `group_id=${groupId}&questionnaire_status=${encodeURIComponent(status)}`
      const { body } = await send('GET', `/informers?${query}`)
      expect(body.pagination.total).toBe(counts[name])
    }
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
      [
        'id',
        'name',
        'color',
        'description',
        'cover_texts',
        'informers',
        'questionnaires',
      ].toSorted(),
    )
  })
})
