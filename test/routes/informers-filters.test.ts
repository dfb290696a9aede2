import { beforeAll, describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { callJson, administratorToken, UNKNOWN_ID } from '../support/helper.ts'
import { create, patch } from '../support/informers.ts'
import { associate, complete, createProcess, GROUP, send } from '../support/processes.ts'
import { newText } from '../support/resources.ts'

const get = async (query: string) =>
  callJson(`/informers?${query}`, { token: await administratorToken() })

const newRow = async (path: string, fields: object): Promise<number> =>
  (await send('POST', path, { name: newText(), ...fields })).body.data.id

type Group = { id: string; questionnaires: { id: string }[] }

/** The ids that a query names in braces. */
const ids: Record<string, string | number> = { unknown: UNKNOWN_ID }

/**
 * One process with the groups A, of two questionnaires, B, of one, and E, of none; another with C,
 * of one. Ana has completed B, but nothing of A; Bento a half of A; Clara C, but not B; Edu is in
 * E; Davi in none.
 */
beforeAll(async () => {
  const [one, other] = [
    await createProcess({
      groups: [
        { ...GROUP, name: 'A', questionnaires: ['Um', 'Dois'] },
        { ...GROUP, name: 'B', questionnaires: ['Um'] },
        { ...GROUP, name: 'E' },
      ],
    }),
    await createProcess({ groups: [{ ...GROUP, name: 'C', questionnaires: ['Um'] }] }),
  ]
  const [a, b, e] = one.groups as [Group, Group, Group]
  const [c] = other.groups as [Group]
  const references = async () => ({
    category_id: await newRow('/categories', { description: 'Um.' }),
    diocese_id: await newRow('/dioceses', { state: 'SP' }),
    treatment_pronoun_id: await newRow('/treatment-pronouns', { description: 'Um.' }),
  })
  const [often, once] = [await references(), await references()]
  Object.assign(ids, { process: one.id, other: other.id })
  Object.assign(ids, { a: a.id, b: b.id, e: e.id, c: c.id })
  for (const [name, id] of Object.entries(often)) ids[`often ${name}`] = id
  for (const [name, id] of Object.entries(once)) ids[`once ${name}`] = id

  const completeAll = async (id: string, questionnaires: { id: string }[]) => {
    for (const questionnaire of questionnaires) await complete(id, questionnaire.id)
  }
  const email = newEmail
  const ana = await create({
    first_name: 'Ana',
    email: email(),
    group_ids: [a.id, b.id],
    ...often,
  })
  await patch(ana.id, { is_email_verified: true })
  await completeAll(ana.id, b.questionnaires)
  const bento = await create({
    first_name: 'Bento',
    email: email(),
    group_id: a.id,
    ...once,
  })
  await completeAll(bento.id, a.questionnaires.slice(1))
  const clara = await create({ first_name: 'Clara', group_id: b.id, ...often })
  await associate(clara.id, c.id)
  await completeAll(clara.id, c.questionnaires)
  await create({ first_name: 'Davi', ...often })
  await create({ first_name: 'Edu', group_id: e.id })
})

describe('GET /v1/informers finds by', () => {
  const REFERENCES = ['category_id', 'diocese_id', 'treatment_pronoun_id']

  it.each([
    // a pair: process and group
    ['process_id={process}', 'Ana Bento Clara Edu'],
    ['process_id={other}', 'Clara'],
    ['process_id={unknown}', ''],
    ['group_id={a}', 'Ana Bento'],
    ['group_id={a}&search=ana', 'Ana'],
    ['group_id={unknown}', ''],
    ['process_id={process}&group_id={b}', 'Ana Clara'],
    // and its status, of one and the same pair
    ['questionnaire_status=Pendente&process_id={process}', 'Ana Clara Edu'],
    ['questionnaire_status=Em+andamento&process_id={process}', 'Bento'],
    ['questionnaire_status=Conclu%C3%ADdo&process_id={process}', 'Ana'],
    ['questionnaire_status=Conclu%C3%ADdo&process_id={other}', 'Clara'],
    ['questionnaire_status=Conclu%C3%ADdo&group_id={a}', ''],
    ['questionnaire_status=Conclu%C3%ADdo&process_id={process}&group_id={b}', 'Ana'],
    ['questionnaire_status=Conclu%C3%ADdo&category_id={often category_id}', 'Ana Clara'],
    // or whether it is concluded
    ['is_concluded=true&process_id={process}', 'Ana'],
    ['is_concluded=false&process_id={process}', 'Ana Bento Clara Edu'],
    ['is_concluded=true&group_id={a}', ''],
    ['is_concluded=false&group_id={b}', 'Clara'],
    ['is_concluded=false&group_id={e}', 'Edu'],
    ['is_concluded=true&category_id={often category_id}', 'Ana Clara'],
    ['is_concluded=true&questionnaire_status=Pendente&process_id={process}', ''],
    [
      'is_concluded=false&questionnaire_status=Pendente&process_id={process}',
      'Ana Clara Edu',
    ],
    // whether there is a pair
    ['has_process=true&category_id={often category_id}', 'Ana Clara'],
    ['has_process=true&process_id={process}', 'Ana Bento Clara Edu'],
    ['has_process=false&category_id={often category_id}', 'Davi'],
    ['has_process=false&process_id={process}', ''],
    ['has_process=false&group_id={a}', ''],
    ['has_process=false&questionnaire_status=Pendente', ''],
    ['has_process=false&is_concluded=false', ''],
    // the confirmation of the email
    ['is_email_verified=true&process_id={process}', 'Ana'],
    ['is_email_verified=false&process_id={process}', 'Bento Clara Edu'],
    ['is_email_verified=false&process_id={process}&search=@example', 'Bento'],
    ['is_email_verified=false&process_id={process}&is_concluded=true', ''],
    ['is_email_verified=false&category_id={often category_id}', 'Clara Davi'],
    // a reference
    ...REFERENCES.flatMap((name) => [
      [`${name}={often ${name}}`, 'Ana Clara Davi'],
      [`${name}=00{once ${name}}`, 'Bento'],
      [`${name}={often ${name}}&search=davi`, 'Davi'],
      [`${name}={often ${name}}&process_id={process}`, 'Ana Clara'],
      ...['9007199254740993', '9'.repeat(30), '2147483647'].map((id) => [
        `${name}=${id}`,
        '',
      ]),
    ]),
    [
      'category_id={often category_id}&diocese_id={often diocese_id}&treatment_pronoun_id={once treatment_pronoun_id}',
      '',
    ],
  ])('%s: %s', async (query = '', names = '') => {
    const { status, body } = await get(
      query.replaceAll(/\{(.+?)\}/g, (_, name) => String(ids[name])),
    )
    const found = body.data.map(({ first_name }: { first_name: string }) => first_name)
    expect([status, found.join(' ')]).toEqual([200, names])
    expect(body.pagination.total).toBe(found.length)
  })

  it('ids in any case', async () => {
    const ofA = await get(`group_id=${String(ids.a).toUpperCase()}`)
    const ofProcess = await get(`process_id=${String(ids.other).toUpperCase()}`)
    expect([ofA, ofProcess].map(({ body }) => body.pagination.total)).toEqual([2, 1])
  })

  it('nobody by a group and the id of another process', async () => {
    // Clara is in both
    for (const [process, group] of [
      [ids.process, ids.c],
      [ids.other, ids.b],
    ]) {
      const { body } = await get(`process_id=${process}&group_id=${group}`)
      expect(body.data).toEqual([])
    }
  })
})

// what each kind of parameter takes is in test/http/query-parameters.test.ts
it('GET /v1/informers rejects bad parameters, all in one 422', async () => {
  const bad = {
    search: 'x'.repeat(101),
    process_id: 'x',
    group_id: '',
    questionnaire_status: 'pendente',
    is_concluded: '1',
    is_email_verified: '',
    has_process: '0',
    category_id: '0',
    diocese_id: '1.5',
    treatment_pronoun_id: '',
    page: '0',
    per_page: '101',
  }
  const { status, body } = await get(String(new URLSearchParams(bad)))
  const errors = Object.keys(bad).map((name) => [
    name,
    [expect.stringContaining(`O parâmetro ${name} deve `)],
  ])
  expect([status, body.errors]).toEqual([422, Object.fromEntries(errors)])
})
