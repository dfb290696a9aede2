import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fold } from '#domain/folding.ts'
import { isGuessable } from '#domain/guessable-passwords.ts'

const COMMON = new Set(['senha123', 'abc123456'])
const JOSE = {
  first_name: 'José',
  last_name: 'Sant’Ana de Ávila-Gonçalves Li',
  email: 'j.s.li@example.org',
}

it.each([
  ['Senha123', true],
  ['Sênhá123', true],
  ['Ｓenha123', true],
  ['Senha1234', false],
  ['xSenha123', false],
])('%j is common: %j', (password, expected) => {
  expect(isGuessable(password, {}, COMMON)).toBe(expected)
})

it.each([
  ['Jose2026', true],
  ['Majosefa1', true],
  ['Joxe2026', false],
  ['Santo2026', true], // sant
  ['SANT’ana1', true],
  ['Goncalves1', true],
  ['Ana2026x', false], // three letters
  ['Li2026xyz', false],
  ['J.S.Li26', true], // the email before the @ has four letters
  ['Example2026', false],
  ['Provisao2026', false],
])('%j is easy to guess for José: %j', (password, expected) => {
  expect(isGuessable(password, JOSE, COMMON)).toBe(expected)
})

it.each([
  ['D’ana2026', true], // four letters, only together
  ['Dana2026', false],
])('%j is easy to guess for somebody called D’Ana: %j', (password, expected) => {
  expect(isGuessable(password, { first_name: 'D’Ana' }, COMMON)).toBe(expected)
})

it.each([
  ['ana@example.org', 'Ana2026x', false],
  ['an_ab@example.org', 'An_Ab2026', true],
  ['ana2026@example.org', 'Ana2026x', false], // three letters
  ['maria.silva@example.org', 'Maria2026', false], // a part of it
  ['maria.silva@example.org', 'Maria.Silva1', true],
])('of %s, %j is easy to guess: %j', (email, password, expected) => {
  expect(isGuessable(password, { email }, COMMON)).toBe(expected)
})

it('holds nothing of an owner without a name', () => {
  const owner = { first_name: '', last_name: null, email: '' }
  for (const nobody of [{}, owner]) {
    expect(isGuessable('Provisao2026', nobody, COMMON)).toBe(false)
  }
})

const longWord = fc
  .array(fc.constantFrom(...'abcdéçñøÅŁж'), { minLength: 4, maxLength: 12 })
  .map((letters) => letters.join(''))
const anyCase = (text: string) => fc.constantFrom(text, text.toUpperCase(), fold(text))

it('refuses what holds a long word of the name, in any case and place', () => {
  const sample = longWord.chain((word) => fc.tuple(fc.constant(word), anyCase(word)))
  fc.assert(
    fc.property(sample, fc.nat(9999), ([word, written], number) => {
      const owners = [
        { first_name: word },
        { first_name: 'Ana', last_name: `de ${word}` },
        { first_name: `Ana-${word}`, last_name: null },
        { email: `${word}@example.org` },
      ]
      for (const owner of owners) {
        expect(isGuessable(`${number}${written}`, owner, new Set())).toBe(true)
        expect(isGuessable(`${written}${number}`, owner, new Set())).toBe(true)
      }
    }),
  )
})
