import { describe, expect, it } from 'vitest'
import { beforeRoundTrips, UNKNOWN_ID } from '../helper.ts'
import { complete, createProcess, newActor, newMember, send } from '../processes.ts'

const TITLE_TAKEN = ['Já existe um questionário com este título no grupo.']

/** A process, and its first group with its first questionnaire, `Perfil`, beside `Situação`. */
async function newQuestionnaire() {
  const process = await createProcess()
  return { process, group: process.groups[0], questionnaire: process.groups[0].questionnaires[0] }
}

const titlesOf = (process: { groups: { questionnaires: { title: string }[] }[] }) =>
  process.groups.flatMap(({ questionnaires }) => questionnaires.map(({ title }) => title))

describe('POST /v1/groups/{group}/questionnaires', () => {
  const post = (group: string, body: unknown, options = {}) =>
    send('POST', `/groups/${group}/questionnaires`, body, options)

  it('creates a questionnaire, with a record, and responds with the process', async () => {
    const { token, records } = await newActor()
    const { process, group } = await newQuestionnaire()
    const { status, body } = await post(group.id, { title: ' Formação ' }, { token })
    expect([status, body.message]).toEqual([201, 'Questionário criado com sucesso.'])
    expect([body.data.id, titlesOf(body.data)]).toEqual([process.id, ['Formação', 'Perfil', 'Situação']])
    const subject_id = body.data.groups[0].questionnaires[0].id
    const record = { action: 'questionnaire.created', subject_type: 'questionnaire', subject_id }
    expect(await records()).toEqual([record])
  })

  it.each([
    [{}, ['O campo título é obrigatório.']],
    [{ title: 'SITUAÇAO' }, TITLE_TAKEN],
    [{ title: 'x'.repeat(256) }, ['O campo título deve ter no máximo 255 caracteres.']],
  ])('rejects %j', async (fields, title) => {
    const { status, body } = await post((await newQuestionnaire()).group.id, fields)
    expect([status, body.errors]).toEqual([422, { title }])
  })

  it('lets one of simultaneous requests have a title', async () => {
    const { group } = await newQuestionnaire()
    const responses = await Promise.all(['Á', 'a', 'A'].map((title) => post(group.id, { title })))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422])
    expect(responses.find(({ status }) => status === 422)?.body.errors).toEqual({ title: TITLE_TAKEN })
  })
})

describe('PATCH /v1/questionnaires/{questionnaire}', () => {
  const patch = (id: string, body: unknown, options = {}) => send('PATCH', `/questionnaires/${id}`, body, options)

  it('changes the title, with a record; nothing, and none, where it is the same', async () => {
    const { token, records } = await newActor()
    const { process, questionnaire } = await newQuestionnaire()
    const same = await patch(questionnaire.id, { title: 'Perfil' }, { token })
    expect([same.status, same.body.data, await records()]).toEqual([200, process, []])
    const { status, body } = await patch(questionnaire.id, { title: 'PERFÍL' }, { token })
    expect([status, body.message]).toEqual([200, 'Questionário atualizado com sucesso.'])
    expect(titlesOf(body.data)).toEqual(['PERFÍL', 'Situação'])
    const record = { subject_type: 'questionnaire', subject_id: questionnaire.id }
    expect(await records()).toEqual([{ action: 'questionnaire.updated', ...record }])
  })

  it.each([
    [{}, { body: ['Informe ao menos um campo.'] }],
    [{ title: null }, { title: ['O campo título é obrigatório.'] }],
    [{ title: 'situacao' }, { title: TITLE_TAKEN }],
  ])('rejects %j', async (fields, errors) => {
    const { status, body } = await patch((await newQuestionnaire()).questionnaire.id, fields)
    expect([status, body.errors]).toEqual([422, errors])
  })
})

describe('DELETE /v1/questionnaires/{questionnaire}', () => {
  const remove = (id: string, options = {}) => send('DELETE', `/questionnaires/${id}`, undefined, options)

  it('deletes a questionnaire of a group with informers, with a record', async () => {
    const { token, records } = await newActor()
    const { process, group, questionnaire } = await newQuestionnaire()
    await complete(await newMember(group.id), group.questionnaires[1].id)
    const { status, body } = await remove(questionnaire.id, { token })
    expect([status, body]).toEqual([200, { success: true, message: 'Questionário excluído com sucesso.' }])
    expect(titlesOf((await send('GET', `/processes/${process.id}`)).body.data)).toEqual(['Situação'])
    const record = { subject_type: 'questionnaire', subject_id: questionnaire.id }
    expect(await records()).toEqual([{ action: 'questionnaire.deleted', ...record }])
  })

  it.each([1, 3])('is 409 when completed before round trip %i, and deletes nothing', async (when) => {
    const { process, group, questionnaire } = await newQuestionnaire()
    const member = await newMember(group.id)
    const DB = beforeRoundTrips((trip) => (trip === when ? complete(member, questionnaire.id) : undefined))
    const { status, body } = await remove(questionnaire.id, { env: { DB } })
    expect([status, body]).toEqual([409, { success: false, message: 'O questionário já foi concluído.' }])
    const { data } = (await send('GET', `/processes/${process.id}`)).body
    expect(titlesOf(data)).toEqual(['Perfil', 'Situação'])
  })
})

it.each([UNKNOWN_ID, '1', '%00'])('no questionnaire %s: 404, after the body', async (id) => {
  const body = { success: false, message: 'Questionário não encontrado.' }
  const path = `/questionnaires/${id}`
  expect(await send('PATCH', path, { title: 'Um' })).toMatchObject({ status: 404, body })
  expect(await send('DELETE', path)).toMatchObject({ status: 404, body })
  expect((await send('PATCH', path, {})).status).toBe(422)
})
