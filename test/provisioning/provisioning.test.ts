import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { administratorToken, callJson, PASSWORD, tokenOf } from '../helper.ts'
import {
  apply,
  beforeFirstWrite,
  contents,
  findUser,
  serveCommands,
  writes,
} from './helper.ts'

const FIRST = 'BR-2026-001'
const SECOND = 'BR-2026-002'

beforeEach(serveCommands)
beforeEach(() => {
  writes.length = 0
})

describe('what is missing in the service', () => {
  const novo = {
    name: 'Novo',
    color: '#000000',
    description: 'Novo.',
    questionnaires: ['Um', 'Outro'],
  }
  const document = {
    categories: [{ name: 'Nova', description: 'Nova.' }],
    dioceses: [
      { name: 'Diocese Nova', state: 'SP' },
      { name: 'Diocese Nova', state: 'RJ' },
    ],
    processes: [
      { protocol: 'P', name: 'Um processo', groups: [novo] },
      {
        protocol: SECOND,
        name: 'Provisão da Arquidiocese de Porto Claro',
        groups: [
          novo,
          {
            name: 'Grupo 1',
            color: '#6A1B9A',
            description: 'Bispos que deixam a sede ou são dela transferidos.',
            questionnaires: ['Um'],
          },
        ],
      },
    ],
    administrators: [
      { email: 'dora@example.org', first_name: 'Dora', password: PASSWORD },
    ],
    informers: [
      {
        email: 'dario@example.org',
        first_name: 'Dario',
        category: 'nova',
        diocese: 'Diocese Nova (RJ)',
        groups: [{ protocol: 'P', group: 'Novo', completed: ['Um'] }],
      },
      {
        email: 'bento@example.org',
        first_name: 'Bento',
        groups: [
          { protocol: FIRST, group: 'Grupo 1', completed: ['Situação da diocese'] },
        ],
      },
    ],
    changelogs: [
      {
        version: 'v1.0.1',
        date: '2026-10-19',
        title: 'Outro',
        description: 'Texto.',
        category: 'Melhoria',
      },
    ],
  }

  it('is created, once, and a dry run tells it, and sends nothing', async () => {
    const dryRun = await apply(document, { dryRun: true })
    expect(writes).toEqual([])

    const report = await apply(document)
    expect(report).toEqual(dryRun)
    const counts = (added: number, unchanged: number) => ({
      added,
      unchanged,
      differing: 0,
    })
    expect(report).toEqual({
      differences: [],
      refusals: [],
      counts: {
        categories: counts(1, 0),
        dioceses: counts(2, 0),
        processes: counts(1, 1),
        groups: counts(2, 1),
        questionnaires: counts(5, 0),
        users: counts(2, 1),
        informer_groups: counts(2, 0),
        informer_completions: counts(2, 0),
        changelogs: counts(1, 0),
      },
    })
    const { results } = await env.DB.prepare(
      "select state from users join dioceses on dioceses.id = diocese_id where email = 'dario@example.org'",
    ).all()
    expect(results).toEqual([{ state: 'RJ' }])

    const after = await contents()
    writes.length = 0
    await apply(document)
    expect(writes).toEqual([])
    expect(await contents()).toEqual(after)
  })
})

it('a run that was cut off is completed by its repetition', async () => {
  const person = { email: 'olga@example.org', first_name: 'Olga' }
  const groups = ['Grupo 6', 'Grupo 1', 'Grupo 3'].map((group) => ({
    protocol: SECOND,
    group,
    completed: group === 'Grupo 1' ? ['Situação da diocese'] : [],
  }))
  await apply({ informers: [{ ...person, groups: groups.slice(0, 1) }] }) // as far as it came
  await apply({ informers: [{ ...person, groups }] })

  const token = await tokenOf('olga@example.org')
  const { body } = await callJson('/cover', { token })
  type Pair = { group: { name: string }; questionnaire_status: string }
  const pairs = body.data.processes_groups.map(
    ({ group, questionnaire_status }: Pair) => `${group.name}: ${questionnaire_status}`,
  )
  expect(pairs).toEqual([
    'Grupo 6: Pendente',
    'Grupo 1: Em andamento',
    'Grupo 3: Pendente',
  ])
})

describe('what differs from the service', () => {
  const process = { protocol: FIRST, name: 'Provisão da Diocese de Vila Serena' }
  const entry = {
    version: 'v1.0.0',
    date: '2026-10-05',
    title: 'Cadastro de informantes',
    description:
      'Administradores cadastram informantes, com validação de CPF e de email.',
    category: 'Nova Funcionalidade',
  }
  const clara = { first_name: 'Clara', last_name: 'Nunes', email: 'clara@example.org' }

  it.each([
    [
      {
        dioceses: [{ name: 'Arquidiocese de Belém do Pará', state: 'PA', active: false }],
      },
      'dioceses[0].active: true no serviço, false no documento',
    ],
    [
      { processes: [{ ...process, name: 'Outro' }] },
      'processes[0].name: "Provisão da Diocese de Vila Serena" no serviço, "Outro" no documento',
    ],
    [
      {
        processes: [
          {
            ...process,
            groups: [
              {
                name: 'Grupo 1',
                color: '#000000',
                description: 'Bispos que deixam a sede ou são dela transferidos.',
              },
            ],
          },
        ],
      },
      'processes[0].groups[0].color: "#6A1B9A" no serviço, "#000000" no documento',
    ],
    [
      { informers: [{ ...clara, phone: '1' }] },
      'informers[0].phone: nada no serviço, "1" no documento',
    ],
    [
      { informers: [{ ...clara, category: 'conego' }] },
      'informers[0].category: nada no serviço, "Cônego" no documento',
    ],
    [
      { administrators: [{ first_name: 'Outra', email: 'admin@example.org' }] },
      'administrators[0].first_name: "Administração" no serviço, "Outra" no documento',
    ],
    [
      { changelogs: [{ ...entry, date: '2026-01-01' }] },
      'changelogs[0].date: "2026-10-05" no serviço, "2026-01-01" no documento',
    ],
  ])('is told, and left: %j', async (document, difference) => {
    const { differences, refusals } = await apply(document)
    expect([differences, refusals, writes]).toEqual([[difference], [], []])
  })

  it('is told without a password', async () => {
    const person = { first_name: 'Iara', email: 'iara@example.org' }
    await apply({ informers: [person] })
    const { differences } = await apply({
      informers: [{ ...person, password: PASSWORD }],
    })
    expect(differences).toEqual(['informers[0].password: falta no serviço'])
    expect((await findUser(person.email))?.password_hash).toBeNull()
  })

  it('is no password where there is one', async () => {
    const { differences } = await apply({
      informers: [{ ...clara, password: 'Outra2026' }],
    })
    expect(differences).toEqual([])
  })

  it('is told in one short line, however long it is', async () => {
    const { differences } = await apply({
      changelogs: [{ ...entry, description: 'Longa\n'.repeat(100) }],
    })
    expect(differences).toEqual([
      'changelogs[0].description: "Administradores cadastram informantes, com validação de CPF… no serviço, ' +
        `"${'Longa\\n'.repeat(8)}Lon… no documento`,
    ])
  })
})

describe('what the service refuses', () => {
  it('is named by its path, and the rest comes in', async () => {
    const token = await administratorToken()
    const taken = { name: 'Diocese Disputada', state: 'AC' }
    beforeFirstWrite(async () => {
      await callJson('/dioceses', { method: 'POST', token, body: taken })
    })
    const { refusals, counts } = await apply({
      categories: [{ name: 'Indisputada', description: 'x' }],
      dioceses: [taken, { ...taken, state: 'AM' }],
      informers: [
        {
          first_name: 'Lia',
          email: 'lia@example.org',
          diocese: 'Diocese Disputada (AC)',
        },
      ],
    })
    expect(refusals).toEqual(['dioceses[0]: name: Este nome já está cadastrado.'])
    expect(counts).toMatchObject({
      categories: { added: 1 },
      dioceses: { added: 1 },
      users: { added: 1 },
    })
  })

  it('is also whatever a document has twice', async () => {
    const category = { name: 'Repetida', description: 'x' }
    const { refusals } = await apply({
      categories: [category, { ...category, name: 'repetida' }],
      administrators: [{ first_name: 'Sem email', cpf: '11144477735' }],
    })
    expect(refusals).toEqual([
      'categories[1]: name: Este nome já está cadastrado.',
      'administrators[0]: email: O campo email é obrigatório.',
    ])
  })

  it('is who was deleted within the week, except with recreate', async () => {
    const document = {
      informers: [{ first_name: 'Efraim', email: 'efraim@example.org' }],
    }
    await apply(document)
    const { id } = (await findUser('efraim@example.org')) ?? {}
    const token = await administratorToken()
    await callJson(`/informers/${id}`, { method: 'DELETE', token })

    const refusals = ['informers[0]: O registro criado com esta chave foi excluído.']
    expect((await apply(document)).refusals).toEqual(refusals)
    expect((await apply(document, { recreate: true })).refusals).toEqual([])
    expect(await findUser('efraim@example.org')).not.toBeNull()
  })
})
