import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { callJson, newUser, tokenFor, UNKNOWN_ID } from '../support/helper.ts'
import { create, patch, read } from '../support/informers.ts'
import { associate, createProcess, GROUP, send } from '../support/processes.ts'
import { auditedActions } from '../support/users.ts'

type Questionnaire = { id: string; title: string }
type Group = { id: string; questionnaires: [Questionnaire, Questionnaire] }

const TITLES = ['Um', 'Árvore', 'dois', 'Quatro']
const IN_ORDER = ['Árvore', 'dois', 'Quatro', 'Um']

/** An informer in the first of two groups, which has four questionnaires. */
async function newMember() {
  const process = await createProcess({
    groups: [
      { ...GROUP, questionnaires: TITLES },
      { ...GROUP, name: 'Grupo 2', questionnaires: ['Um', 'Dois'] },
    ],
  })
  const [group, other] = process.groups as [Group, Group]
  const { id } = await create({ first_name: 'Rute', group_id: group.id })
  return {
    id: id as string,
    group,
    other,
    ofGroup: `/informers/${id}/groups/${group.id}`,
    ofOther: `/informers/${id}/groups/${other.id}`,
    completion: ({ id: questionnaireId }: Pick<Questionnaire, 'id'>) =>
      `/informers/${id}/questionnaires/${questionnaireId}`,
  }
}

// oxlint-disable-next-line no-explicit-any -- the informer of a response
const pairsOf = (informer: any): string[] =>
  informer.processes_groups.map(({ group }: { group: Group }) => group.id)

/** When each questionnaire of the first pair was completed, in their order. */
// oxlint-disable-next-line no-explicit-any -- the informer of a response
const completedOf = (informer: any): [string, string | null][] =>
  informer.processes_groups[0].questionnaires.map(
    ({ title, completed_at }: Questionnaire & { completed_at: string | null }) => [
      title,
      completed_at,
    ],
  )

const completionsOf = async (informerId: string) =>
  (
    await env.DB.prepare('select * from informer_completions where informer_id = ?')
      .bind(informerId)
      .all()
  ).results

/** Another informer in a group, with a completion, which no request about others changes. */
async function newBystander({ id: groupId, questionnaires: [completed] }: Group) {
  const { id } = await create({ first_name: 'Noemi', group_id: groupId })
  await send('PUT', `/informers/${id}/questionnaires/${completed.id}`)
  const before = await read(id)
  return { expectUnchanged: async () => expect(await read(id)).toEqual(before) }
}

describe('PUT /v1/informers/{informer}/groups/{group}', () => {
  it('associates, after the groups there are, and responds with the informer, whose pairs are those of the cover', async () => {
    const { id, group, other, ofOther, completion } = await newMember()
    await send('PUT', completion(group.questionnaires[0]))
    const { status, body } = await send('PUT', ofOther)
    expect(status).toBe(200)
    expect(pairsOf(body.data)).toEqual([group.id, other.id])
    expect(body.data).toMatchObject({
      process: body.data.processes_groups[0].process,
      group: body.data.processes_groups[0].group,
    })
    expect(await read(id)).toEqual(body.data)

    const token = await tokenFor({ id, role: 'informer' })
    const cover = await callJson('/cover', { token })
    // oxlint-disable-next-line no-explicit-any -- the pairs of both responses
    const pairOf = ({ process, group, is_concluded, questionnaire_status }: any) => ({
      process,
      group: { id: group.id, name: group.name },
      is_concluded,
      questionnaire_status,
    })
    expect(body.data.processes_groups.map(pairOf)).toEqual(
      cover.body.data.processes_groups.map(pairOf),
    )
  })

  it('five times, in either case of the ids, associates and records once', async () => {
    const { id, group, other, ofOther } = await newMember()
    const again = `/informers/${id.toUpperCase()}/groups/${other.id.toUpperCase()}`
    const responses = await Promise.all(
      [ofOther, again, ofOther, again, ofOther].map((path) => send('PUT', path)),
    )
    for (const { status, body } of responses) {
      expect([status, pairsOf(body.data)]).toEqual([200, [group.id, other.id]])
    }
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      'group.associated',
      'group.associated',
    ])
  })
})

describe('DELETE /v1/informers/{informer}/groups/{group}', () => {
  it('deletes an association and only its completions', async () => {
    const { id, group, other, ofGroup, ofOther, completion } = await newMember()
    await send('PUT', ofOther)
    await send('PUT', completion(group.questionnaires[0]))
    await send('PUT', completion(other.questionnaires[0]))
    const { expectUnchanged } = await newBystander(group)

    const { status, body } = await send('DELETE', ofGroup)

    await expectUnchanged()
    expect([status, pairsOf(body.data)]).toEqual([200, [other.id]])
    expect(body.data.processes_groups[0].questionnaire_status).toBe('Em andamento')
    expect(body.data.group.id).toBe(other.id)
    const back = await send('PUT', ofGroup)
    expect(pairsOf(back.body.data)).toEqual([other.id, group.id])
    expect(back.body.data.processes_groups[1].questionnaire_status).toBe('Pendente')
    expect(await completionsOf(id)).toHaveLength(1)
  })

  it('responds 200 for a group of others, and records nothing', async () => {
    const { id, group, other, ofOther } = await newMember()
    const { expectUnchanged } = await newBystander(other)
    const { status, body } = await send('DELETE', ofOther)
    expect([status, pairsOf(body.data)]).toEqual([200, [group.id]])
    await expectUnchanged()
    expect(await auditedActions(id)).toEqual(['informer.created', 'group.associated'])
  })
})

describe('PUT and DELETE /v1/informers/{informer}/questionnaires/{questionnaire}', () => {
  it('add and remove a completion, and conclude with the last', async () => {
    const { id, group, completion } = await newMember()
    const { expectUnchanged } = await newBystander(group)
    const statusOf = async (method: string, questionnaireId: string) => {
      const { status, body } = await send(method, completion({ id: questionnaireId }))
      expect(status).toBe(200)
      const [{ is_concluded, questionnaire_status }] = body.data.processes_groups
      return [is_concluded, questionnaire_status]
    }
    const [first, ...others] = group.questionnaires
    for (const sent of [first.id.toUpperCase(), first.id]) {
      expect(await statusOf('PUT', sent)).toEqual([false, 'Em andamento'])
    }
    for (const [index, one] of others.entries()) {
      expect((await statusOf('PUT', one.id))[0]).toBe(index === others.length - 1)
    }
    const token = await tokenFor({ id, role: 'informer' })
    const cover = await callJson('/cover', { token })
    expect(cover.body.data.processes_groups[0]).toMatchObject({
      is_concluded: true,
      questionnaire_status: 'Concluído',
    })
    for (let times = 0; times < 2; times++) {
      expect(await statusOf('DELETE', first.id)).toEqual([false, 'Em andamento'])
    }
    for (const one of others) await statusOf('DELETE', one.id)
    expect(await statusOf('DELETE', first.id)).toEqual([false, 'Pendente'])
    await expectUnchanged()
    const changes = group.questionnaires.map(() => 'questionnaire.completed')
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      'group.associated',
      ...changes,
      ...changes.map(() => 'questionnaire.reopened'),
    ])
  })

  it('keep the first recording until it is taken back', async () => {
    const { id, group, completion } = await newMember()
    const path = completion(group.questionnaires[0])
    const completedAt = async () => completedOf(await read(id))[0]?.[1] ?? null

    await send('PUT', path)
    const first = await completedAt()
    await vi.waitFor(() => expect(new Date().toISOString() > String(first)).toBe(true))
    expect((await send('PUT', path)).status).toBe(200)
    expect(await completedAt()).toBe(first)

    await send('DELETE', path)
    expect(await completedAt()).toBeNull()
    await send('PUT', path)
    expect(String(await completedAt()) > String(first)).toBe(true)
  })

  it.each(['PUT', 'DELETE'])(
    '%s is 404 for a questionnaire of another group',
    async (method) => {
      const { id, other, completion } = await newMember()
      const { expectUnchanged } = await newBystander(other)
      const { status, body } = await send(method, completion(other.questionnaires[0]))
      expect([status, body]).toEqual([
        404,
        { success: false, message: 'Questionário não encontrado.' },
      ])
      expect(await completionsOf(id)).toEqual([])
      await expectUnchanged()
    },
  )
})

describe('the questionnaires of a pair', () => {
  it('are in the order of the process, alike in the list, in the one and in the response to a change', async () => {
    const { id, group, completion } = await newMember()
    const [first, second] = group.questionnaires
    expect(completedOf(await read(id))).toEqual(IN_ORDER.map((title) => [title, null]))

    await send('PUT', completion(second))
    const { body } = await send('PUT', completion(first))

    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(body.data.processes_groups[0]).toMatchObject({
      questionnaire_status: 'Em andamento',
      questionnaires: [
        { ...first, completed_at: at },
        { ...second, completed_at: at },
        { title: 'Quatro', completed_at: null },
        { title: 'Um', completed_at: null },
      ],
    })
    expect(await read(id)).toEqual(body.data)
    expect((await send('GET', `/informers?group_id=${group.id}`)).body.data).toEqual([
      body.data,
    ])
    const patched = (await patch(id, { phone: '1' })).body.data
    expect(patched.processes_groups).toEqual(body.data.processes_groups)
  })

  it('are those of each pair, and of the informer alone', async () => {
    const { id, group, completion } = await newMember()
    const other = await newMember()
    await associate(id, other.group.id)
    await associate(other.id, group.id)
    await send('PUT', completion(group.questionnaires[0]))

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
})

const MESSAGES = {
  groups: 'Grupo não encontrado.',
  questionnaires: 'Questionário não encontrado.',
}

describe.each(['PUT', 'DELETE'])('%s /v1/informers/{informer}', (method) => {
  it.each(['groups', 'questionnaires'] as const)(
    '/%s/{…} is 404 for what is unknown, and for an administrator, and writes nothing',
    async (kind) => {
      const { id, group } = await newMember()
      const known = kind === 'groups' ? group.id : group.questionnaires[0].id
      const administrator = (await newUser('administrator')).id
      const noInformer = 'Informante não encontrado.'
      for (const [informer, to, message] of [
        [id, 'x', MESSAGES[kind]],
        [id, UNKNOWN_ID, MESSAGES[kind]],
        [id, '%00', MESSAGES[kind]],
        ['x', known, noInformer],
        [UNKNOWN_ID, known, noInformer],
        [administrator, known, noInformer],
      ] as const) {
        const { status, body } = await send(
          method,
          `/informers/${informer}/${kind}/${to}`,
        )
        expect([informer, to, status, body]).toEqual([
          informer,
          to,
          404,
          { success: false, message },
        ])
      }
      expect(await auditedActions(administrator)).toEqual([])
      for (const table of ['informer_groups', 'informer_completions']) {
        const rows = await env.DB.prepare(`select * from ${table} where informer_id = ?`)
          .bind(administrator)
          .all()
        expect(rows.results).toEqual([])
      }
    },
  )
})
