import { describe, expect, it } from 'vitest'
import {
  complete,
  createProcess,
  GROUP,
  newMember,
  NOBODY,
  send,
} from '../support/processes.ts'

const NAME_TAKEN = ['Já existe um grupo com este nome no processo.']

const titlesOf = (process: { groups: { questionnaires: { title: string }[] }[] }) =>
  process.groups.flatMap(({ questionnaires }) => questionnaires.map(({ title }) => title))

// what holds for all that administrators write is in test/http/resource.test.ts
describe('POST /v1/processes/{process}/groups', () => {
  const post = (process: string, body: unknown, options = {}) =>
    send('POST', `/processes/${process}/groups`, body, options)

  it('creates a group with its questionnaires, and responds with the process', async () => {
    const process = await createProcess()
    const group = { ...GROUP, name: 'Grupo 2' }
    const { body } = await post(process.id, { ...group, questionnaires: ['Perfil'] })
    const id = expect.any(String)
    const created = {
      id,
      ...group,
      ...NOBODY,
      questionnaires: [{ id, title: 'Perfil' }],
    }
    expect(body.data).toEqual({ ...process, groups: [...process.groups, created] })
  })

  it('reports everything at once; a name is taken in its process only', async () => {
    const process = await createProcess({ groups: [{ ...GROUP, name: 'Ação' }] })
    const { status, body } = await post(process.id, {
      name: 'ACAO',
      questionnaires: ['Á', 'a'],
    })
    expect([status, body.errors]).toEqual([
      422,
      {
        name: NAME_TAKEN,
        color: ['O campo cor é obrigatório.'],
        description: ['O campo descrição é obrigatório.'],
        'questionnaires.1': ['Já existe um questionário com este título no grupo.'],
      },
    ])
    const elsewhere = (await createProcess()).id
    expect((await post(elsewhere, { ...GROUP, name: 'ACAO' })).status).toBe(201)
  })

  it('responds to a repetition with the process as it is now, and 409 without the group', async () => {
    const { id } = await createProcess({ groups: null })
    const options = { headers: { 'Idempotency-Key': crypto.randomUUID() } }
    const created = await post(id, GROUP, options)
    await send('PATCH', `/processes/${id}`, { name: 'Outra' })
    const again = await post(id, GROUP, options)
    expect([again.status, again.body.message]).toEqual([201, 'Grupo criado com sucesso.'])
    expect(again.body.data).toMatchObject({
      name: 'Outra',
      groups: created.body.data.groups,
    })
    await send('DELETE', `/groups/${created.body.data.groups[0].id}`)
    expect((await post(id, GROUP, options)).status).toBe(409)
  })
})

describe('PATCH /v1/groups/{group}', () => {
  const patch = (id: string, body: unknown) => send('PATCH', `/groups/${id}`, body)

  it('leaves what is not sent, and responds with the process', async () => {
    const process = await createProcess()
    const fields = { name: 'GRUPO 1', color: '#ffffff' }
    const { body } = await patch(process.groups[0].id, fields)
    expect(body.data).toEqual({
      ...process,
      groups: [{ ...process.groups[0], ...fields }],
    })
  })

  it.each([
    [{ questionnaires: ['Um'] }, { body: ['Informe ao menos um campo.'] }],
    [
      { name: 'GRÚPO 2', color: null, description: ' ' },
      {
        name: NAME_TAKEN,
        color: ['O campo cor é obrigatório.'],
        description: ['O campo descrição é obrigatório.'],
      },
    ],
    [{ color: 'red' }, { color: ['A cor deve ter a forma #RRGGBB.'] }],
  ])('rejects %j', async (fields, errors) => {
    const { groups } = await createProcess({
      groups: [GROUP, { ...GROUP, name: 'Grupo 2' }],
    })
    const { status, body } = await patch(groups[0].id, fields)
    expect([status, body.errors]).toEqual([422, errors])
  })
})

it('DELETE /v1/groups/{group} deletes its questionnaires, and none of another', async () => {
  const { id, groups } = await createProcess({
    groups: [
      { ...GROUP, questionnaires: ['Um'] },
      { ...GROUP, name: 'Grupo 2', questionnaires: ['Um'] },
    ],
  })
  const [group, other] = groups
  await newMember(other.id)
  await send('DELETE', `/groups/${group.id}`)
  expect((await send('GET', `/processes/${id}`)).body.data.groups).toEqual([
    { ...other, informers: 1, pending: 1 },
  ])
  const [questionnaire] = group.questionnaires
  expect((await send('DELETE', `/questionnaires/${questionnaire.id}`)).status).toBe(404)
})

describe('a questionnaire', () => {
  /** A process with a group of `Perfil` and `Situação`. */
  async function newQuestionnaire() {
    const process = await createProcess()
    const [group] = process.groups
    return { process, group, questionnaire: group.questionnaires[0] }
  }

  it('is created, renamed and deleted by itself, also in a group with informers', async () => {
    const { process, group, questionnaire } = await newQuestionnaire()
    await complete(await newMember(group.id), group.questionnaires[1].id)
    const path = `/questionnaires/${questionnaire.id}`
    const create = `/groups/${group.id}/questionnaires`

    const { body: created } = await send('POST', create, { title: ' Formação ' })
    expect([created.data.id, titlesOf(created.data)]).toEqual([
      process.id,
      ['Formação', 'Perfil', 'Situação'],
    ])
    const { body: renamed } = await send('PATCH', path, { title: 'PERFÍL' })
    expect([renamed.data.id, titlesOf(renamed.data)]).toEqual([
      process.id,
      ['Formação', 'PERFÍL', 'Situação'],
    ])
    expect((await send('DELETE', path)).status).toBe(200)
    expect(titlesOf((await send('GET', `/processes/${process.id}`)).body.data)).toEqual([
      'Formação',
      'Situação',
    ])
  })

  it.each([
    [undefined, 'O campo título é obrigatório.'],
    ['x'.repeat(256), 'O campo título deve ter no máximo 255 caracteres.'],
    [7, 'O campo título deve ser um texto.'],
  ])('is rejected with the title %j', async (title, message) => {
    const { group } = await newQuestionnaire()
    const { status, body } = await send('POST', `/groups/${group.id}/questionnaires`, {
      title,
    })
    expect([status, body.errors]).toEqual([422, { title: [message] }])
  })
})
