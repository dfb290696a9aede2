import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  crossFieldRule,
  multilineText,
  optionalText,
  requiredText,
  UUID,
} from '#http/request/fields.ts'

const ID = '6f1c1a52-8D4B-4d6e-9a63-0c8d2a4a8a11'

describe('UUID', () => {
  it.each([ID, ID.toUpperCase(), ID.toLowerCase()])('matches %s', (text) => {
    expect(UUID.test(text)).toBe(true)
  })
  it.each([
    '',
    ` ${ID}`,
    `${ID}\n`,
    `x${ID}`,
    `${ID}x`,
    ID.replaceAll('-', ''),
    `{${ID}}`,
  ])('does not match %j', (text) => {
    expect(UUID.test(text)).toBe(false)
  })
  it('matches hexadecimal digits only, in groups of 8, 4, 4, 4 and 12', () => {
    for (const [place, character] of [...ID].entries()) {
      const without = ID.slice(0, place) + ID.slice(place + 1)
      expect([place, UUID.test(without)]).toEqual([place, false])
      expect([place, UUID.test(`${ID.slice(0, place)}g${ID.slice(place + 1)}`)]).toEqual([
        place,
        false,
      ])
      const isHyphen = character === '-'
      expect([place, UUID.test(`${ID.slice(0, place)}0${ID.slice(place + 1)}`)]).toEqual([
        place,
        !isHyphen,
      ])
    }
  })
})

it.each([
  ['', null],
  [' \u00a0\u200b', null],
  [' D\u0027A\u0301vila ', "D'Ávila"],
])('an optional text %j is stored as %j', (sent, stored) => {
  expect(optionalText('nome', 20).parse(sent)).toBe(stored)
})

it.each([
  ['João', []],
  [' \u200b', ['O campo nome é obrigatório.']],
  ['😀'.repeat(20), []],
  ['😀'.repeat(21), ['O campo nome deve ter no máximo 20 caracteres.']],
  [` ${'e\u0301'.repeat(20)} `, []],
  ['e\u0301'.repeat(21), ['O campo nome deve ter no máximo 20 caracteres.']],
  ['\uFB2C'.repeat(7), ['O campo nome deve ter no máximo 20 caracteres.']],
  ['\u0301\0'.repeat(20), ['O campo nome deve ter no máximo 20 caracteres.']],
])('a required text %j has the errors %j', (sent, errors) => {
  const { error } = requiredText('nome', 20).safeParse(sent)
  expect((error?.issues ?? []).map(({ message }) => message)).toEqual(errors)
})

/** Of different classes, which ICU reorders in quadratic time. */
const MARKS = '\u0345\u0334\u0323'

it.each([
  [30, undefined],
  [31, 'O campo nome contém caracteres inválidos.'],
  [40, 'O campo nome contém caracteres inválidos.'],
])('a text of %i marks in a row has the error %s (UAX #15)', (count, message) => {
  const sent = `a${MARKS.repeat(14).slice(0, count)}`
  expect(requiredText('nome', 40).safeParse(sent).error?.issues[0]?.message).toBe(message)
})

describe('a rule across fields', () => {
  type Range = { from: number; to: number; other: number }
  const inOrder = ({ from, to }: Range) => from <= to
  const schema = (path?: 'to') =>
    z
      .object({ from: z.number(), to: z.number(), other: z.number() })
      .check(crossFieldRule<Range>(['from', 'to'], inOrder, 'Fora de ordem.', path))
  const pathsOf = (value: object, path?: 'to') =>
    schema(path)
      .safeParse(value)
      .error?.issues.map((issue) => issue.path)

  it('is reported for its field, or for the whole body', () => {
    expect(pathsOf({ from: 2, to: 1, other: 0 }, 'to')).toEqual([['to']])
    expect(pathsOf({ from: 2, to: 1, other: 0 })).toEqual([[]])
    expect(pathsOf({ from: 1, to: 1, other: 0 })).toBeUndefined()
  })

  it('is checked beside an error of another field, and not where one of its own fields is invalid', () => {
    expect(pathsOf({ from: 2, to: 1, other: 'x' }, 'to')).toEqual([['other'], ['to']])
    expect(pathsOf({ from: 'x', to: 1, other: 0 }, 'to')).toEqual([['from']])
  })
})

it.each([
  ['uma\nduas\tlinhas', undefined],
  ['\u200b\n', 'O campo descrição é obrigatório.'],
  ['sino\u0007', 'O campo descrição contém caracteres inválidos.'],
  ['\u0007', 'O campo descrição contém caracteres inválidos.'],
  ['x'.repeat(2001), 'O campo descrição deve ter no máximo 2.000 caracteres.'],
])('multilineText of %j', (text, message) => {
  const { error } = multilineText('descrição', 2000).safeParse(text)
  expect(error?.issues[0]?.message).toBe(message)
})
