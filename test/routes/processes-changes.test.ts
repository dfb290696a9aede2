import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../support/helper.ts'
import {
  createProcess,
  GROUP,
  newMember,
  NOBODY,
  newProtocol,
  send,
} from '../support/processes.ts'

const PROTOCOL_TAKEN = ['Este protocolo já está cadastrado no sistema.']
const NAME_TAKEN = ['Já existe um grupo com este nome no processo.']
const TITLE_TAKEN = ['Já existe um questionário com este título no grupo.']
const required = (label: string) => [`O campo ${label} é obrigatório.`]

describe('POST /v1/processes', () => {
  const post = (body: unknown) => send('POST', '/processes', body)
  const errorsOf = async (body: object) => {
    const response = await post({ name: 'Sé', protocol: newProtocol(), ...body })
    return [response.status, response.body.errors]
  }

  it('creates a process with its groups and questionnaires', async () => {
    const protocol = newProtocol()
    const groups = [
      { ...GROUP, name: ' Grupo 2 ', questionnaires: ['Situação', ' Perfil '] },
      { ...GROUP, unknown: 1 },
    ]
    const { status, body } = await post({ name: ' Sé\u0301 ', protocol, groups })
    expect([status, body.message]).toEqual([201, 'Processo criado com sucesso.'])
    const id = expect.stringMatching(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    )
    const timestamp = expect.stringMatching(/Z$/)
    expect(body.data).toEqual({
      id,
      name: 'Sé\u0301'.normalize('NFC'),
      protocol,
      created_at: timestamp,
      updated_at: timestamp,
      groups: [
        { id, ...GROUP, ...NOBODY, questionnaires: [] },
        {
          id,
          ...GROUP,
          name: 'Grupo 2',
          ...NOBODY,
          questionnaires: [
            { id, title: 'Perfil' },
            { id, title: 'Situação' },
          ],
        },
      ],
    })
    expect(
      (await send('GET', `/processes/${body.data.id.toUpperCase()}`)).body.data,
    ).toEqual(body.data)
  })

  it('copies the groups and questionnaires of another process, and nobody', async () => {
    const source = await createProcess()
    await newMember(source.groups[0].id)
    const copy = await createProcess({ groups: null, groups_of: source.id.toUpperCase() })
    const [{ id, ...group }] = copy.groups
    expect(group).toEqual({
      ...GROUP,
      ...NOBODY,
      questionnaires: [
        { id: expect.any(String), title: 'Perfil' },
        { id: expect.any(String), title: 'Situação' },
      ],
    })
    expect(id).not.toBe(source.groups[0].id)
    expect(
      (await send('GET', `/processes/${source.id}`)).body.data.groups[0].questionnaires,
    ).toEqual(source.groups[0].questionnaires)
    expect(
      (await send('POST', `/groups/${id}/questionnaires`, { title: 'PERFIL' })).status,
    ).toBe(422)
  })

  it.each([
    ['groups', {}, 'O processo pode ter no máximo 50 grupos.'],
    ['groups.0.questionnaires', '', 'O grupo pode ter no máximo 50 questionários.'],
  ])('rejects more than 50 %s before it looks at any', async (field, item, text) => {
    const items = Array(20_000).fill(item)
    const groups = field === 'groups' ? items : [{ ...GROUP, questionnaires: items }]
    const body = { name: 'Sé', protocol: newProtocol(), groups }
    expect(await errorsOf(body)).toEqual([422, { [field]: [text] }])
  })

  it('takes 50 groups and 50 questionnaires in each, and copies more of before', async () => {
    const names = Array.from({ length: 50 }, (_, number) => `Nome ${number}`)
    const source = await createProcess({
      groups: names.map((name) => ({ ...GROUP, name, questionnaires: names })),
    })
    expect(source.groups).toHaveLength(50)
    for (const { questionnaires } of source.groups) {
      expect(questionnaires).toHaveLength(50)
    }

    await env.DB.batch([
      env.DB.prepare(
        `insert into groups (id, process_id, name, name_folded, color, description)
         values (?, ?, 'Outro', 'outro', '#000000', '')`,
      ).bind(crypto.randomUUID(), source.id),
      env.DB.prepare(
        "insert into questionnaires (id, group_id, title, title_folded) values (?, ?, 'Outro', 'outro')",
      ).bind(crypto.randomUUID(), source.groups[0].id),
    ])
    const copy = await createProcess({ groups: undefined, groups_of: source.id })
    expect(copy.groups).toHaveLength(51)
    expect(copy.groups[0].questionnaires).toHaveLength(51)
  })

  it('reports everything at once, at its place', async () => {
    const { protocol } = await createProcess({
      protocol: `Protocolo ção ${newProtocol()}`,
    })
    const long = 'x'.repeat(256)
    const groups = [
      { ...GROUP, name: 'Ação', questionnaires: ['Um', 3, 'Último', 'ULTIMO', '', ''] },
      { ...GROUP, name: 'ACAO', color: 'azul' },
      { name: ' ', description: long.repeat(8), questionnaires: 'Um' },
      'Grupo',
      { ...GROUP, name: long, color: null, description: null },
    ]
    const folded = protocol.toUpperCase().replace('ÇÃO', 'CAO')
    expect(await errorsOf({ name: null, protocol: folded, groups })).toEqual([
      422,
      {
        protocol: PROTOCOL_TAKEN,
        name: required('nome'),
        'groups.0.questionnaires.1': ['O campo título deve ser um texto.'],
        'groups.0.questionnaires.4': required('título'),
        'groups.0.questionnaires.5': required('título'),
        'groups.0.questionnaires.3': TITLE_TAKEN,
        'groups.1.color': ['A cor deve ter a forma #RRGGBB.'],
        'groups.1.name': NAME_TAKEN,
        'groups.2.name': required('nome'),
        'groups.2.color': required('cor'),
        'groups.2.description': [
          'O campo descrição deve ter no máximo 2.000 caracteres.',
        ],
        'groups.2.questionnaires': ['O campo questionários deve ser uma lista.'],
        'groups.3': ['Cada grupo deve ser um objeto.'],
        'groups.4.name': ['O campo nome deve ter no máximo 255 caracteres.'],
        'groups.4.color': required('cor'),
        'groups.4.description': required('descrição'),
      },
    ])
  })

  it.each([
    [{ groups: [], groups_of: UNKNOWN_ID }, ['body', 'groups_of']],
    [{ groups: 'x', groups_of: 1 }, ['body', 'groups', 'groups_of']],
    [{ groups_of: UNKNOWN_ID }, ['groups_of']],
  ])('rejects %j', async (body, fields) => {
    const [status, errors] = await errorsOf(body)
    expect([status, Object.keys(errors).sort()]).toEqual([422, fields])
    if (fields.includes('body')) {
      expect(errors.body).toEqual(['Informe os grupos ou o processo de que copiá-los.'])
    }
    if (fields.includes('groups_of')) {
      expect(errors.groups_of).toEqual(['O processo selecionado é inválido.'])
    }
  })
})

it('PATCH /v1/processes/{process} leaves what is not sent', async () => {
  const process = await createProcess()
  const changes = { name: 'Provisão da Catedral', groups: [] }
  const path = `/processes/${process.id}`
  const { body } = await send('PATCH', path, changes)
  expect(body.data).toEqual({
    ...process,
    name: 'Provisão da Catedral',
    updated_at: expect.any(String),
  })
  const { body: found } = await send('GET', '/processes?search=PROVISAO+DA+CATEDRAL')
  expect(found.data).toMatchObject([{ id: process.id, name: 'Provisão da Catedral' }])
  const rejected = await send('PATCH', `/processes/${process.id}`, {
    name: null,
    protocol: 1,
  })
  expect(rejected.body.errors).toEqual({
    name: required('nome'),
    protocol: ['O campo protocolo deve ser um texto.'],
  })
})

it('DELETE /v1/processes/{process} deletes its groups and questionnaires', async () => {
  const { id, groups } = await createProcess()
  const [group] = groups
  await send('DELETE', `/processes/${id}`)
  for (const path of [
    `/groups/${group.id}`,
    `/questionnaires/${group.questionnaires[0].id}`,
  ]) {
    expect((await send('DELETE', path)).status).toBe(404)
  }
})

describe('the maximum of a process and of a group', () => {
  const names = Array.from({ length: 49 }, (_, number) => `Nome ${number}`)
  const TOO_MANY_GROUPS = { body: ['O processo pode ter no máximo 50 grupos.'] }
  const TOO_MANY = { body: ['O grupo pode ter no máximo 50 questionários.'] }

  /** Adds two at once, then another. */
  async function addThree(path: string, add: (name: string) => object) {
    const post = (name: string) => send('POST', path, add(name))
    const both = await Promise.all([post('Um'), post('Dois')])
    const responses = [...both, await post('Três')]
    return responses
      .map(({ status, body }) => [status, body.errors])
      .toSorted(([one], [other]) => one - other)
  }

  it('is kept by POST /v1/processes/{process}/groups, also of two at once', async () => {
    const { id } = await createProcess({
      groups: names.map((name) => ({ ...GROUP, name })),
    })
    const path = `/processes/${id}/groups`
    expect(await addThree(path, (name) => ({ ...GROUP, name }))).toEqual([
      [201, undefined],
      [422, TOO_MANY_GROUPS],
      [422, TOO_MANY_GROUPS],
    ])
    const invalid = await send('POST', path, { name: 'NOME 1', color: 'azul' })
    expect(Object.keys(invalid.body.errors).toSorted()).toEqual(
      ['body', 'color', 'description', 'name'].toSorted(),
    )
  })

  it('is kept by POST /v1/groups/{group}/questionnaires, also of two at once', async () => {
    const { groups } = await createProcess({
      groups: [{ ...GROUP, questionnaires: names }],
    })
    const path = `/groups/${groups[0].id}/questionnaires`
    expect(await addThree(path, (title) => ({ title }))).toEqual([
      [201, undefined],
      [422, TOO_MANY],
      [422, TOO_MANY],
    ])
  })
})
