import { beforeEach, describe, expect, it } from 'vitest'
import { parseJson } from '../../scripts/commands/provisioning/document.ts'
import { problemsOf, serveCommands } from './helper.ts'

beforeEach(serveCommands)

const person = { first_name: 'X', email: 'x@example.org' }
const GROUP = { name: 'G', color: '#000000', description: 'x' }

describe('the form of a document', () => {
  it.each([
    [{ categorias: [] }, 'documento: Chave inválida: "categorias"'],
    [[], 'documento: Entrada inválida: esperava um objeto, recebeu um vetor'],
    [
      { processes: [5] },
      'processes[0]: Entrada inválida: esperava um objeto, recebeu um número',
    ],
    [{ informers: [person] }, 'documento: Chave inválida: "informers"'],
    [
      { administrators: {} },
      'administrators: Entrada inválida: esperava um vetor, recebeu um objeto',
    ],
    [
      { categories: [{ name: 'Nova' }] },
      'categories[0].description: O campo descrição é obrigatório.',
    ],
    [
      { administrators: [person, { ...person, cpf: '52998224724' }] },
      'administrators[1].cpf: O CPF informado é inválido.',
    ],
    [{ administrators: [{ first_name: 'X' }] }, 'administrators[0]: falta o email'],
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

it('parseJson reads a document with a byte order mark', () => {
  const content = parseJson('\uFEFF{"dioceses":[{"name":"\uFEFFX","state":"AC"}]}')
  expect(content).toEqual({ dioceses: [{ name: '\uFEFFX', state: 'AC' }] })
})
