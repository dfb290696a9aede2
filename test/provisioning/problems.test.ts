import { describe, expect, it } from 'vitest'
import { parseDocument, parseJson } from '../../scripts/provisioning/document.ts'
import { apply, problemsOf } from './helper.ts'

const person = { first_name: 'X', email: 'x@example.org' }
const FIRST = 'BR-2026-001'

describe('a wrong document', () => {
  it.each([
    [{ categorias: [] }, ['document: Unrecognized key: "categorias"']],
    [[], ['document: Invalid input: expected object, received array']],
    [{ processes: [5] }, ['processes[0]: Invalid input: expected object, received number']],
    [{ informers: {} }, ['informers: Invalid input: expected array, received object']],
    [{ categories: [{ name: '', description: 'x' }] }, ['categories[0].name: O campo name é obrigatório.']],
    [{ dioceses: [{ name: 'X', state: 'br' }] }, ['dioceses[0].state: must be the two letters of a state']],
    ...['BRA', ' SP', 'SP '].map((state): [object, string[]] => [
      { dioceses: [{ name: 'X', state }] },
      ['dioceses[0].state: must be the two letters of a state'],
    ]),
    ...['#0000000', 'x#000000', '000000'].map((color): [object, string[]] => [
      { processes: [{ protocol: 'P', name: 'X', groups: [{ name: 'G', color, description: 'x' }] }] },
      ['processes[0].groups[0].color: must be a hex color, such as #0D47A1'],
    ]),
    [{ informers: [{ ...person, cpf: '52998224724' }] }, ['informers[0].cpf: O CPF informado é inválido.']],
    [{ informers: [{ first_name: 'X' }] }, ['informers[0]: an email or a CPF is required']],
    [
      { administrators: [{ ...person, password: 'abc' }] },
      [
        'administrators[0].password: A senha deve ter pelo menos 6 caracteres.',
        'administrators[0].password: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
      ],
    ],
    [
      { processes: [{ protocol: 'P', name: 'X', groups: [{ name: 'G', color: 'red', description: 'x' }] }] },
      ['processes[0].groups[0].color: must be a hex color, such as #0D47A1'],
    ],
    [
      {
        processes: [
          {
            protocol: 'P',
            name: 'X',
            groups: [{ name: 'G', color: '#000000', description: 'x', questionnaires: ['A', 5, 'A'] }],
          },
        ],
      },
      [
        'processes[0].groups[0].questionnaires[1]: O campo title deve ser um texto.',
        'processes[0].groups[0].questionnaires[2]: the same as processes[0].groups[0].questionnaires[0]',
      ],
    ],
    [
      { informers: [person, { ...person, first_name: 'Y' }] },
      ['informers[1].email: the same as informers[0].email'],
    ],
    [
      {
        informers: [
          { ...person, previous_email: 'ana@example.org', cpf: '52998224725' },
          { first_name: 'Y', email: 'y@example.org', previous_email: 'ana@example.org', cpf: '52998224725' },
        ],
      },
      [
        'informers[1].previous_email: the same as informers[0].previous_email',
        'informers[1].cpf: the same as informers[0].cpf',
        'informers[1]: is the same person as informers[0]',
      ],
    ],
    [
      {
        categories: [
          { name: 'X', description: 'x' },
          { name: ' X', description: 'y' },
        ],
      },
      ['categories[1]: the same as categories[0]'],
    ],
    [
      {
        informers: [{ ...person, category: 'Nenhuma', treatment_pronoun: 'Nenhum', diocese: 'Diocese de X' }],
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
              { protocol: FIRST, group: 'Grupo 1', completed: ['Situação da diocese', 'Nenhum'] },
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
  ])('%j changes nothing', async (document, problems) => {
    expect(await problemsOf(document)).toEqual(problems)
  })

  it('reports errors of form, unknown references, repetitions and people in one list', async () => {
    const document = {
      categories: [{ name: 'Nova', description: '' }],
      informers: [
        { ...person, cpf: '1', category: 'Nova', diocese: 'Diocese de X' },
        { first_name: '', email: 'x@example.org' },
        { first_name: 'X', email: 'admin@example.org', treatment_pronoun: 'Nenhum' },
      ],
    }
    expect(await problemsOf(document)).toEqual([
      'categories[0].description: O campo description é obrigatório.',
      'informers[0].cpf: O CPF deve conter exatamente 11 dígitos numéricos.',
      'informers[1].first_name: O campo nome é obrigatório.',
      'informers[1].email: the same as informers[0].email',
      'informers[0].diocese: "Diocese de X" was not found',
      'informers[2].treatment_pronoun: "Nenhum" was not found',
      'informers[2]: is registered in another role',
    ])
  })

  it('may refer to what it adds itself, and to a questionnaire that only the database has', async () => {
    await apply({
      categories: [{ name: 'Nova', description: 'Nova.' }],
      processes: [
        {
          protocol: FIRST,
          name: 'X',
          groups: [{ name: 'Grupo 7', color: '#000000', description: 'X', questionnaires: ['Novo'] }],
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

describe('a list', () => {
  const dioceses = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `D${at}`, state: 'SP' }))

  it('has at most 10,000 rows, of the document and the database together', async () => {
    expect(await problemsOf({ dioceses: dioceses(9_720) })).toEqual([
      'dioceses: at most 10000 rows are allowed; with those of the database there would be 10001',
    ])
    await apply({ dioceses: dioceses(9_719) })
    await apply({ dioceses: dioceses(9_719) })
    expect(await problemsOf({ dioceses: [{ name: 'Outra', state: 'SP' }] })).toHaveLength(1)
  })
})

it('parseJson reads a document with a byte order mark', () => {
  const content = parseJson('\uFEFF{"dioceses":[{"name":"\uFEFFX","state":"AC"}]}')
  expect(content).toEqual({ dioceses: [{ name: '\uFEFFX', state: 'AC' }] })
})

it('parseDocument gives each list and state its default', () => {
  const { document } = parseDocument({ dioceses: [{ name: 'X', state: 'AC' }] })
  expect(document).toMatchObject({
    dioceses: [{ name: 'X', state: 'AC', active: true }],
    categories: [],
    treatment_pronouns: [],
    processes: [],
    administrators: [],
    informers: [],
    changelogs: [],
  })
})

it('parseJson reports where a text is no JSON', () => {
  expect(() => parseJson('{"categories": [}')).toThrow(/\nnot JSON: .+/)
})
