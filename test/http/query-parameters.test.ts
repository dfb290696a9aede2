import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import {
  booleanParameter,
  choiceParameter,
  dateRangeParameters,
  idParameter,
  pageParameters,
  referenceIdParameter,
  searchParameter,
  versionParameter,
} from '#http/request/query-parameters.ts'

const PAGE = 'O parâmetro page deve ser um número inteiro a partir de 1.'
const PER_PAGE = 'O parâmetro per_page deve ser um número inteiro de 1 a 100.'
const VERSION = 'O parâmetro version deve ter a forma v<maior>.<menor>.<correção>.'
const DATE = 'O parâmetro date_from deve ser uma data real na forma AAAA-MM-DD.'
const PUBLISHED = 'O parâmetro is_published deve ser true, false, 1 ou 0.'
const CHOICE = 'O parâmetro category deve ser um destes: Melhoria, Nova Funcionalidade.'
const CATEGORY = choiceParameter('category', ['Melhoria', 'Nova Funcionalidade'], '')
const DIOCESE = referenceIdParameter('diocese_id', '')

describe('a query parameter', () => {
  it.each<[string, z.ZodMiniType, unknown, unknown]>([
    ['search', searchParameter, undefined, ''],
    ['search', searchParameter, '', ''],
    ['search', searchParameter, ' \t ', ''],
    ['search', searchParameter, '  Cônego \t D’Ávila ', "conego d'avila"],
    ['page', pageParameters().page, undefined, 1],
    ['page', pageParameters().page, '9'.repeat(30), Number.MAX_SAFE_INTEGER],
    ['per_page', pageParameters().per_page, undefined, 12],
    ['per_page', pageParameters().per_page, '100', 100],
    [
      'is_published',
      booleanParameter('is_published', ['0', '1', 'true', 'false'], ''),
      '0',
      false,
    ],
    [
      'actor_id',
      idParameter('actor_id', ''),
      '6F1C1A52-8D4B-4D6E-9A63-0C8D2A4A8A11',
      expect.stringMatching(/^6f1c/),
    ],
    ['search', searchParameter, 'e\u0301'.repeat(100), 'e'.repeat(100)],
    ['diocese_id', DIOCESE, '007', 7],
    ['diocese_id', DIOCESE, undefined, undefined],
    ['category', CATEGORY, 'Melhoria', 'Melhoria'],
    ['category', CATEGORY, undefined, undefined],
    ['date_from', dateRangeParameters().date_from, '2024-02-29', '2024-02-29'],
    ['version', versionParameter, 'v1.10.0', 'v1.10.0'],
  ])('%s is parsed', (_, schema, value, parsed) => {
    expect(schema.parse(value)).toEqual(parsed)
  })

  it.each<[string, z.ZodMiniType, unknown[]]>([
    ['O parâmetro search deve ser um texto.', searchParameter, [['a', 'b']]],
    [
      'O parâmetro search deve ter no máximo 100 caracteres.',
      searchParameter,
      ['é'.repeat(101)],
    ],
    [
      PAGE,
      pageParameters().page,
      ['0', '', '-1', '1.5', '1e3', 'abc', 'x1', '1x', ' 1', '+1'],
    ],
    [PER_PAGE, pageParameters().per_page, ['0', '101', '']],
    [
      'O parâmetro diocese_id deve ser um número inteiro positivo.',
      DIOCESE,
      ['', '0', '-1', '1.5', '1e3', '+1', ' 1', 'x'],
    ],
    [
      'O parâmetro active deve ser 0 ou 1.',
      booleanParameter('active', ['0', '1'], ''),
      ['true', ''],
    ],
    [
      PUBLISHED,
      booleanParameter('is_published', ['true', 'false', '1', '0'], ''),
      ['yes'],
    ],
    ['O parâmetro actor_id deve ser um UUID.', idParameter('actor_id', ''), ['1', '']],
    [CHOICE, CATEGORY, ['', 'melhoria']],
    [DATE, dateRangeParameters().date_from, ['', '2026-02-30', '01/02/2026']],
    [VERSION, versionParameter, ['', 'v1.0', '1.0.0', 'v01.0.0']],
  ])('is rejected: %s', (message, schema, values) => {
    for (const value of values) {
      expect(schema.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual(
        [message],
      )
    }
  })
})
