import { beforeEach, describe, expect, it } from 'vitest'
import { parseJson } from '../../scripts/commands/provisioning/document.ts'
import { apply, problemsOf, serveCommands } from './helper.ts'

beforeEach(serveCommands)

const person = { first_name: 'X', email: 'x@example.org' }
const FIRST = 'BR-2026-001'
const GROUP = { name: 'G', color: '#000000', description: 'x' }

describe('the form of a document', () => {
  it.each([
    [{ categorias: [] }, 'documento: Chave inválida: "categorias"'],
    [[], 'documento: Entrada inválida: esperava um objeto, recebeu um vetor'],
    [
      { processes: [5] },
      'processes[0]: Entrada inválida: esperava um objeto, recebeu um número',
    ],
    [
      { informers: {} },
      'informers: Entrada inválida: esperava um vetor, recebeu um objeto',
    ],
    [
      { categories: [{ name: '', description: 'x' }] },
      'categories[0].name: O campo nome é obrigatório.',
    ],
    [
      { categories: [{ name: 'Nova' }] },
      'categories[0].description: O campo descrição é obrigatório.',
    ],
    [
      { dioceses: [{ name: 'X', state: 'br' }] },
      'dioceses[0].state: O campo estado deve ser a sigla de um estado.',
    ],
    [
      { informers: [person, { ...person, cpf: '52998224724' }] },
      'informers[1].cpf: O CPF informado é inválido.',
    ],
    [{ informers: [{ first_name: 'X' }] }, 'informers[0]: é preciso o email ou o CPF'],
    [
      { administrators: [{ ...person, password: 'Abcdef' }] },
      'administrators[0].password: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
    ],
    [
      {
        processes: [{ protocol: 'P', name: 'X', groups: [{ ...GROUP, color: 'red' }] }],
      },
      'processes[0].groups[0].color: A cor deve ter a forma #RRGGBB.',
    ],
    [
      {
        processes: [
          { protocol: 'P', name: 'X', groups: [{ ...GROUP, questionnaires: ['A', 5] }] },
        ],
      },
      'processes[0].groups[0].questionnaires[1]: O campo título deve ser um texto.',
    ],
  ])('%j is refused, and nothing is sent', async (document, problem) => {
    expect(await problemsOf(document)).toEqual([problem])
  })
})

describe('a document that contradicts what the service has', () => {
  it.each([
    [
      { first_name: 'Ana', last_name: 'da Silva Souza', email: 'x@example.org' },
      [
        'informers[0]: já há alguém com este nome: informe o email ou o CPF cadastrado, ' +
          'ou "allow_same_name": true se é outra pessoa',
      ],
    ],
    [
      { first_name: 'X', email: 'admin@example.org', treatment_pronoun: 'Nenhum' },
      [
        'informers[0]: já é administrador',
        'informers[0].treatment_pronoun: "Nenhum" não foi encontrado',
      ],
    ],
    [
      { ...person, category: 'Nenhuma', diocese: 'Diocese de X' },
      [
        'informers[0].category: "Nenhuma" não foi encontrado',
        'informers[0].diocese: "Diocese de X" não foi encontrado',
      ],
    ],
    [
      {
        ...person,
        groups: [
          { protocol: FIRST, group: 'Grupo 9', completed: ['Situação da diocese'] },
          { protocol: 'BR-0', group: 'Grupo 1' },
          { protocol: FIRST, group: 'Grupo 1', completed: ['Nenhum'] },
        ],
      },
      [
        'informers[0].groups[0].group: "Grupo 9" não foi encontrado',
        'informers[0].groups[1].protocol: "BR-0" não foi encontrado',
        'informers[0].groups[2].completed[0]: "Nenhum" não foi encontrado',
      ],
    ],
  ])('in %j is refused, and nothing is sent', async (informer, problems) => {
    expect(await problemsOf({ informers: [informer] })).toEqual(problems)
  })

  it('is refused where one person has the email and another one the CPF', async () => {
    const cpf = '52998224725'
    await apply({ informers: [{ first_name: 'Caio', cpf }] })
    const informers = [{ first_name: 'Ana', email: 'ana@example.org', cpf }]
    expect(await problemsOf({ informers })).toEqual([
      'informers[0]: o e-mail e o CPF estão cadastrados para pessoas diferentes',
    ])
  })

  it('is refused where an administrator is an informer', async () => {
    const administrators = [{ first_name: 'Ana', email: 'ana@example.org' }]
    expect(await problemsOf({ administrators })).toEqual([
      'administrators[0]: já é informante',
    ])
  })

  it('is refused where a new person refers to what is deactivated', async () => {
    await apply({
      categories: [{ name: 'Fechada', description: 'Fechada.', active: false }],
    })
    const informers = [{ ...person, category: 'fechada' }]
    expect(await problemsOf({ informers })).toEqual([
      'informers[0].category: "fechada" está desativado',
    ])
  })
})

it('parseJson reads a document with a byte order mark', () => {
  const content = parseJson('\uFEFF{"dioceses":[{"name":"\uFEFFX","state":"AC"}]}')
  expect(content).toEqual({ dioceses: [{ name: '\uFEFFX', state: 'AC' }] })
})

it('parseJson reports where a text is no JSON', () => {
  expect(() => parseJson('{"categories": [}')).toThrow(/\nnão é JSON: .+/)
})
