import { beforeEach, describe, expect, it } from 'vitest'
import { parseJson } from '../../scripts/provisioning/document.ts'
import { apply, problemsOf, serveCommands } from './helper.ts'

beforeEach(serveCommands)

const person = { first_name: 'X', email: 'x@example.org' }
const FIRST = 'BR-2026-001'
const GROUP = { name: 'Grupo', color: '#000000', description: 'X' }
const ENTRY = {
  version: 'v9.0.0',
  date: '2026-10-19',
  title: 'Um',
  description: 'Texto.',
  category: 'Melhoria',
  git_commit_hash: 'abcdef1234567',
}

describe('a wrong document', () => {
  it.each([
    [{ categorias: [] }, ['document: Unrecognized key: "categorias"']],
    [[], ['document: Invalid input: expected object, received array']],
    [
      { processes: [5] },
      ['processes[0]: Invalid input: expected object, received number'],
    ],
    [{ informers: {} }, ['informers: Invalid input: expected array, received object']],
    [
      { categories: [{ name: '', description: 'x' }] },
      ['categories[0].name: O campo nome é obrigatório.'],
    ],
    [
      { dioceses: [{ name: 'X', state: 'br' }] },
      ['dioceses[0].state: O campo estado deve ser a sigla de um estado.'],
    ],
    [
      { informers: [{ ...person, cpf: '52998224724' }] },
      ['informers[0].cpf: O CPF informado é inválido.'],
    ],
    [
      { informers: [{ first_name: 'X' }] },
      ['informers[0]: an email or a CPF is required'],
    ],
    [
      { administrators: [{ ...person, password: 'abc' }] },
      [
        'administrators[0].password: A senha deve ter pelo menos 6 caracteres.',
        'administrators[0].password: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
      ],
    ],
    [
      {
        processes: [
          {
            protocol: 'P',
            name: 'X',
            groups: [
              {
                name: 'G',
                color: 'red',
                description: 'x',
                questionnaires: ['A', 5, 'A'],
              },
            ],
          },
        ],
      },
      [
        'processes[0].groups[0].color: A cor deve ter a forma #RRGGBB.',
        'processes[0].groups[0].questionnaires[1]: O campo título deve ser um texto.',
      ],
    ],
    [
      { informers: [{ ...person, previous_email: 'nobody@example.org' }] },
      ['informers[0].previous_email: "nobody@example.org" was not found'],
    ],
    [
      {
        informers: [
          { first_name: 'Ana', last_name: 'da Silva Souza', email: 'x@example.org' },
        ],
      },
      [
        'informers[0]: a person with this name is registered: add their "previous_email" or "cpf", or "allow_same_name": true for another person',
      ],
    ],
    [
      {
        informers: [
          { ...person, previous_email: 'ana@example.org' },
          { first_name: 'Ana', last_name: 'da Silva Souza', email: 'ana@example.org' },
        ],
      },
      ['informers[1]: is the same person as informers[0]'],
    ],
    [
      {
        informers: [
          {
            first_name: 'Outra',
            email: 'ana@example.org',
            previous_email: 'bento@example.org',
          },
        ],
      },
      ['informers[0]: email, previous email and CPF belong to different people'],
    ],
    [
      { categories: [{ name: 'Novíssima', previous_name: 'Nenhuma' }] },
      ['categories[0].previous_name: "Nenhuma" was not found'],
    ],
    [
      {
        informers: [
          {
            ...person,
            category: 'Nenhuma',
            treatment_pronoun: 'Nenhum',
            diocese: 'Diocese de X',
          },
        ],
      },
      [
        'informers[0].category: "Nenhuma" was not found',
        'informers[0].treatment_pronoun: "Nenhum" was not found',
        'informers[0].diocese: "Diocese de X" was not found',
      ],
    ],
    [
      {
        informers: [
          {
            ...person,
            groups: [
              { protocol: FIRST, group: 'Grupo 9', completed: ['Situação da diocese'] },
              { protocol: 'BR-0', group: 'Grupo 1' },
              {
                protocol: FIRST,
                group: 'Grupo 1',
                completed: ['Situação da diocese', 'Nenhum'],
              },
            ],
          },
        ],
      },
      [
        'informers[0].groups[0].group: "Grupo 9" was not found',
        'informers[0].groups[1].protocol: "BR-0" was not found',
        'informers[0].groups[2].completed[1]: "Nenhum" was not found',
      ],
    ],
    [
      {
        informers: [
          { ...person, cpf: '52998224724' },
          { first_name: 'Y', email: 'y@example.org', category: 'Nenhuma' },
        ],
        administrators: [{ first_name: 'Sem email', cpf: '52998224725' }],
      },
      [
        'informers[0].cpf: O CPF informado é inválido.',
        'administrators[0].email: O campo email é obrigatório.',
        'informers[1].category: "Nenhuma" was not found',
      ],
    ],
    [
      {
        categories: [{ name: 'Novíssima', description: 5 }],
        informers: [
          { ...person, category: 'novissima' },
          { first_name: 'Y', email: 'y@example.org', category: 'Nenhuma' },
        ],
      },
      [
        'categories[0].description: O campo descrição deve ser um texto.',
        'informers[1].category: "Nenhuma" was not found',
      ],
    ],
    [
      { categorias: [], informers: [{ ...person, category: 'Nenhuma' }] },
      [
        'document: Unrecognized key: "categorias"',
        'informers[0].category: "Nenhuma" was not found',
      ],
    ],
    [
      {
        processes: [
          {
            protocol: 'P',
            name: 'X',
            groups: [
              { ...GROUP, questionnaires: ['Um', 'um'] },
              { ...GROUP, name: 'GRUPO' },
            ],
          },
          { protocol: 'p', name: 'Y' },
        ],
      },
      [
        'processes[1]: is the same as processes[0]',
        'processes[0].groups[1]: is the same as processes[0].groups[0]',
        'processes[0].groups[0].questionnaires[1]: ' +
          'is the same as processes[0].groups[0].questionnaires[0]',
      ],
    ],
    [
      {
        administrators: [{ ...person, first_name: 'Z' }],
        informers: [person, { first_name: 'Y', email: 'X@example.org' }],
      },
      [
        'informers[0]: is the same person as administrators[0]',
        'informers[1]: is the same person as administrators[0]',
      ],
    ],
    [
      {
        informers: [
          { ...person, email: 'novo@example.org', previous_email: 'ana@example.org' },
          { first_name: 'Y', email: 'novo@example.org', allow_same_name: true },
        ],
      },
      ['informers[1]: is the same person as informers[0]'],
    ],
    [
      {
        changelogs: [
          ENTRY,
          { ...ENTRY, title: 'Outro' },
          { ...ENTRY, git_commit_hash: null },
        ],
      },
      [
        'changelogs[2]: is the same as changelogs[0]',
        'changelogs[1].git_commit_hash: is the same as changelogs[0].git_commit_hash',
      ],
    ],
  ])('%j changes nothing', async (document, problems) => {
    expect(await problemsOf(document)).toEqual(problems)
  })

  it('reports unknown references and people in one list', async () => {
    const document = {
      informers: [
        { ...person, diocese: 'Diocese de X' },
        { first_name: 'X', email: 'admin@example.org', treatment_pronoun: 'Nenhum' },
      ],
    }
    expect(await problemsOf(document)).toEqual([
      'informers[0].diocese: "Diocese de X" was not found',
      'informers[1]: is registered in another role',
      'informers[1].treatment_pronoun: "Nenhum" was not found',
    ])
  })

  it('names a commit that belongs to another entry', async () => {
    await apply({ changelogs: [ENTRY] })
    await apply({ changelogs: [ENTRY] })
    expect(await problemsOf({ changelogs: [{ ...ENTRY, title: 'Outro' }] })).toEqual([
      'changelogs[0].git_commit_hash: belongs to another entry',
    ])
  })

  it('says that what it refers to is deactivated, unless the person has it already', async () => {
    const clara = {
      first_name: 'Clara',
      last_name: 'Nunes',
      email: 'clara@example.org',
      category: 'Cônego',
    }
    await apply({ informers: [clara] })
    await apply({ categories: [{ name: 'Cônego', active: false }] })
    await apply({ informers: [clara] })
    const problem = ['informers[0].category: "conego" is deactivated']
    expect(await problemsOf({ informers: [{ ...person, category: 'conego' }] })).toEqual(
      problem,
    )
  })

  it('may refer to what it adds itself, and to a questionnaire that only the database has', async () => {
    await apply({
      categories: [{ name: 'Nova', description: 'Nova.' }],
      processes: [
        {
          protocol: FIRST,
          name: 'X',
          groups: [
            {
              name: 'Grupo 7',
              color: '#000000',
              description: 'X',
              questionnaires: ['Novo'],
            },
          ],
        },
      ],
      informers: [
        {
          ...person,
          category: 'Nova',
          groups: [
            { protocol: FIRST, group: 'Grupo 7', completed: ['Novo'] },
            { protocol: FIRST, group: 'Grupo 1', completed: ['Situação da diocese'] },
          ],
        },
      ],
    })
  })
})

it('parseJson reads a document with a byte order mark', () => {
  const content = parseJson('\uFEFF{"dioceses":[{"name":"\uFEFFX","state":"AC"}]}')
  expect(content).toEqual({ dioceses: [{ name: '\uFEFFX', state: 'AC' }] })
})

it('parseJson reports where a text is no JSON', () => {
  expect(() => parseJson('{"categories": [}')).toThrow(/\nnot JSON: .+/)
})
