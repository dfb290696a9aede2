import { describe, expect, it } from 'vitest'
import { beforeRoundTrips, UNKNOWN_ID } from '../helper.ts'
import { createProcess, GROUP, newActor, newMember, send } from '../processes.ts'

const NOT_FOUND = { success: false, message: 'Grupo não encontrado.' }
const NAME_TAKEN = ['Já existe um grupo com este nome no processo.']
const NOTHING = { body: ['Informe ao menos um campo.'] }

describe('POST /v1/processes/{process}/groups', () => {
  const post = (process: string, body: unknown, options = {}) =>
    send('POST', `/processes/${process}/groups`, body, options)

  it('creates a group with its questionnaires, with one record, and responds with the process', async () => {
    const { token, records } = await newActor()
    const process = await createProcess()
    const group = { ...GROUP, name: 'Grupo 2' }
    const { status, body } = await post(process.id, { ...group, questionnaires: ['Perfil'] }, { token })
    expect([status, body.message]).toEqual([201, 'Grupo criado com sucesso.'])
    const id = expect.any(String)
    const created = { id, ...group, informers: 0, questionnaires: [{ id, title: 'Perfil' }] }
    expect(body.data).toEqual({ ...process, groups: [...process.groups, created] })
    const subject_id = body.data.groups[1].id
    expect(await records()).toEqual([{ action: 'group.created', subject_type: 'group', subject_id }])
  })

  it('reports everything at once; a name is taken in its process only', async () => {
    const process = await createProcess({ groups: [{ ...GROUP, name: 'Ação' }] })
    const { status, body } = await post(process.id, { name: 'ACAO', questionnaires: ['Á', 'a'] })
    expect([status, body.errors]).toEqual([
      422,
      {
        name: NAME_TAKEN,
        color: ['O campo cor é obrigatório.'],
        description: ['O campo descrição é obrigatório.'],
        'questionnaires.1': ['Já existe um questionário com este título no grupo.'],
      },
    ])
    expect((await post((await createProcess()).id, { ...GROUP, name: 'ACAO' })).status).toBe(201)
  })

  it('responds to a repetition with the process as it is now, and 409 without the group', async () => {
    const { id } = await createProcess({ groups: null })
    const options = { headers: { 'Idempotency-Key': crypto.randomUUID() } }
    const created = await post(id, GROUP, options)
    await send('PATCH', `/processes/${id}`, { name: 'Outra' })
    const again = await post(id, GROUP, options)
    expect([again.status, again.body.message]).toEqual([201, 'Grupo criado com sucesso.'])
    expect(again.body.data).toMatchObject({ name: 'Outra', groups: created.body.data.groups })
    await send('DELETE', `/groups/${created.body.data.groups[0].id}`)
    expect((await post(id, GROUP, options)).status).toBe(409)
  })

  it('lets one of simultaneous requests have a name', async () => {
    const { id } = await createProcess({ groups: null })
    const responses = await Promise.all(['Órgão', 'ORGAO', 'órgão'].map((name) => post(id, { ...GROUP, name })))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422])
    const refused = responses.find(({ status }) => status === 422)
    expect(refused?.body.errors).toEqual({ name: NAME_TAKEN })
  })
})

describe('PATCH /v1/groups/{group}', () => {
  const patch = (id: string, body: unknown, options = {}) => send('PATCH', `/groups/${id}`, body, options)

  it('changes what is sent, with a record; nothing, and none, where nothing differs', async () => {
    const { token, records } = await newActor()
    const process = await createProcess()
    const [group] = process.groups
    const same = await patch(group.id, GROUP, { token })
    expect([same.status, same.body.data, await records()]).toEqual([200, process, []])
    const fields = { name: 'GRUPO 1', color: '#ffffff' }
    const { status, body } = await patch(group.id.toUpperCase(), fields, {
      token,
      headers: { 'Content-Type': 'application/merge-patch+json' },
    })
    expect([status, body.message]).toEqual([200, 'Grupo atualizado com sucesso.'])
    expect(body.data).toEqual({ ...process, groups: [{ ...group, ...fields }] })
    expect(await records()).toEqual([{ action: 'group.updated', subject_type: 'group', subject_id: group.id }])
  })

  it.each([
    [{}, NOTHING],
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
    const { groups } = await createProcess({ groups: [GROUP, { ...GROUP, name: 'Grupo 2' }] })
    const { status, body } = await patch(groups[0].id, fields)
    expect([status, body.errors]).toEqual([422, errors])
  })
})

describe('DELETE /v1/groups/{group}', () => {
  const remove = (id: string, options = {}) => send('DELETE', `/groups/${id}`, undefined, options)

  it('deletes a group with its questionnaires, with one record', async () => {
    const { token, records } = await newActor()
    const { id, groups } = await createProcess({ groups: [{ ...GROUP, questionnaires: ['Um'] }] })
    const { status, body } = await remove(groups[0].id, { token })
    expect([status, body]).toEqual([200, { success: true, message: 'Grupo excluído com sucesso.' }])
    expect((await send('GET', `/processes/${id}`)).body.data.groups).toEqual([])
    const subject_id = groups[0].id
    expect(await records()).toEqual([{ action: 'group.deleted', subject_type: 'group', subject_id }])
  })

  it.each([1, 3])('is 409 with informers, who came before round trip %i, and deletes nothing', async (when) => {
    const process = await createProcess()
    const [group] = process.groups
    const DB = beforeRoundTrips((trip) => (trip === when ? newMember(group.id) : undefined))
    const { status, body } = await remove(group.id, { env: { DB } })
    expect([status, body]).toEqual([409, { success: false, message: 'O grupo tem informantes.' }])
    const { data } = (await send('GET', `/processes/${process.id}`)).body
    expect(data.groups).toEqual([{ ...group, informers: 1 }])
  })
})

it.each([UNKNOWN_ID, '1', '%00'])('no group %s: 404, after the body', async (id) => {
  for (const response of [
    await send('PATCH', `/groups/${id}`, GROUP),
    await send('DELETE', `/groups/${id}`),
    await send('POST', `/groups/${id}/questionnaires`, { title: 'Um' }),
  ])
    expect(response).toMatchObject({ status: 404, body: NOT_FOUND })
  expect((await send('PATCH', `/groups/${id}`, {})).status).toBe(422)
})
