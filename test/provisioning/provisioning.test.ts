import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { administratorToken, callJson, PASSWORD } from '../support/helper.ts'
import { apply, beforeFirstWrite, contents, serveCommands, writes } from './helper.ts'

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
    const dryRun = await apply(document, true)
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
        groups: counts(1, 1),
        questionnaires: counts(1, 0),
        administrators: counts(1, 0),
        changelogs: counts(1, 0),
      },
    })
    const { results } = await env.DB.prepare(
      `select protocol, groups.name as name, count(*) as questionnaires
       from questionnaires join groups on groups.id = group_id
       join processes on processes.id = process_id
       where groups.name = 'Novo' group by groups.id order by protocol`,
    ).all()
    expect(results).toEqual([
      { protocol: SECOND, name: 'Novo', questionnaires: 2 },
      { protocol: 'P', name: 'Novo', questionnaires: 2 },
    ])

    const after = await contents()
    writes.length = 0
    await apply(document)
    expect(writes).toEqual([])
    expect(await contents()).toEqual(after)
  })
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

  it('is told but for a password, which is not compared', async () => {
    const person = { first_name: 'Administração', email: 'admin@example.org' }
    const administrators = [{ ...person, password: 'Outra2026' }]
    expect(await apply({ administrators })).toMatchObject({ differences: [] })
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
    })
    expect(refusals).toEqual(['dioceses[0]: name: Este nome já está cadastrado.'])
    expect(counts).toMatchObject({
      categories: { added: 1 },
      dioceses: { added: 1 },
    })
  })

  it('is an administrator with the name of another, whose email may have been corrected', async () => {
    const administrators = [
      { first_name: 'administracao', email: 'admin@exemple.org', password: PASSWORD },
    ]
    for (const dryRun of [true, false]) {
      expect(await apply({ administrators }, dryRun)).toMatchObject({
        counts: { administrators: { added: 0 } },
        refusals: [
          'administrators[0]: já há um administrador com este nome e outro email',
        ],
      })
    }
    expect(writes).toEqual([])
  })

  it('is also whatever a document has twice, or an informer has', async () => {
    const category = { name: 'Repetida', description: 'x' }
    const { refusals } = await apply({
      categories: [category, { ...category, name: 'repetida' }],
      administrators: [{ first_name: 'Ana', email: 'ana@example.org' }],
    })
    expect(refusals.toSorted()).toEqual([
      'administrators[0]: email: Este email já está cadastrado no sistema.',
      'categories[1]: name: Este nome já está cadastrado.',
    ])
  })
})
