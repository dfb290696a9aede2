import { describe, expect, it } from 'vitest'
import {
  createProcess,
  GROUP,
  newActor,
  newMember,
  NOBODY,
  send,
} from '../support/processes.ts'

const NAME_TAKEN = ['Já existe um grupo com este nome no processo.']
const NOTHING = { body: ['Informe ao menos um campo.'] }

describe('POST /v1/processes/{process}/groups', () => {
  const post = (process: string, body: unknown, options = {}) =>
    send('POST', `/processes/${process}/groups`, body, options)

  it('creates a group with its questionnaires, with one record, and responds with the process', async () => {
    const { token, records } = await newActor()
    const process = await createProcess()
    const group = { ...GROUP, name: 'Grupo 2' }
    const { status, body } = await post(
      process.id,
      { ...group, questionnaires: ['Perfil'] },
      { token },
    )
    expect([status, body.message]).toEqual([201, 'Grupo criado com sucesso.'])
    const id = expect.any(String)
    const created = {
      id,
      ...group,
      ...NOBODY,
      questionnaires: [{ id, title: 'Perfil' }],
    }
    expect(body.data).toEqual({ ...process, groups: [...process.groups, created] })
    const subject_id = body.data.groups[1].id
    expect(await records()).toEqual([
      { action: 'group.created', subject_type: 'group', subject_id },
    ])
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
    expect(
      (await post((await createProcess()).id, { ...GROUP, name: 'ACAO' })).status,
    ).toBe(201)
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
    [{ questionnaires: ['Um'] }, NOTHING],
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

it('DELETE /v1/groups/{group} deletes its questionnaires, and none of one that has informers', async () => {
  const { id, groups } = await createProcess({
    groups: [GROUP, { ...GROUP, name: 'Grupo 2', questionnaires: ['Um'] }],
  })
  const [group, other] = groups
  await newMember(other.id)
  for (const { id } of groups) await send('DELETE', `/groups/${id}`)
  expect((await send('GET', `/processes/${id}`)).body.data.groups).toEqual([
    { ...other, informers: 1, pending: 1 },
  ])
  expect(
    (await send('POST', `/groups/${group.id}/questionnaires`, { title: 'Um' })).status,
  ).toBe(404)
})
