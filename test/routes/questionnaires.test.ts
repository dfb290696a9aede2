import { describe, expect, it } from 'vitest'
import { complete, createProcess, newMember, send } from '../support/processes.ts'

/** A process, and its first group with its first questionnaire, `Perfil`, beside `Situação`. */
async function newQuestionnaire() {
  const process = await createProcess()
  return {
    process,
    group: process.groups[0],
    questionnaire: process.groups[0].questionnaires[0],
  }
}

const titlesOf = (process: { groups: { questionnaires: { title: string }[] }[] }) =>
  process.groups.flatMap(({ questionnaires }) => questionnaires.map(({ title }) => title))

describe('POST /v1/groups/{group}/questionnaires', () => {
  const post = (group: string, body: unknown) =>
    send('POST', `/groups/${group}/questionnaires`, body)

  it('responds with the process', async () => {
    const { process, group } = await newQuestionnaire()
    const { body } = await post(group.id, { title: ' Formação ' })
    expect([body.data.id, titlesOf(body.data)]).toEqual([
      process.id,
      ['Formação', 'Perfil', 'Situação'],
    ])
  })

  it.each([
    [undefined, 'O campo título é obrigatório.'],
    ['x'.repeat(256), 'O campo título deve ter no máximo 255 caracteres.'],
    [7, 'O campo título deve ser um texto.'],
  ])('rejects the title %j', async (title, message) => {
    const { status, body } = await post((await newQuestionnaire()).group.id, { title })
    expect([status, body.errors]).toEqual([422, { title: [message] }])
  })
})

it('PATCH /v1/questionnaires/{questionnaire} responds with the process', async () => {
  const { process, questionnaire } = await newQuestionnaire()
  const { body } = await send('PATCH', `/questionnaires/${questionnaire.id}`, {
    title: 'PERFÍL',
  })
  expect([body.data.id, titlesOf(body.data)]).toEqual([
    process.id,
    ['PERFÍL', 'Situação'],
  ])
})

it('DELETE /v1/questionnaires/{questionnaire} deletes one of a group with informers', async () => {
  const { process, group, questionnaire } = await newQuestionnaire()
  await complete(await newMember(group.id), group.questionnaires[1].id)
  expect((await send('DELETE', `/questionnaires/${questionnaire.id}`)).status).toBe(200)
  expect(titlesOf((await send('GET', `/processes/${process.id}`)).body.data)).toEqual([
    'Situação',
  ])
})
