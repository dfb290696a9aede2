import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullName, initials } from '#domain/names.ts'

describe('fullName', () => {
  it('is the first name without a last name', () => {
    expect(fullName({ first_name: 'Clara', last_name: null })).toBe('Clara')
    expect(fullName({ first_name: 'Clara', last_name: 'Nunes' })).toBe('Clara Nunes')
  })
})

describe('initials', () => {
  it.each([
    ['João da Silva Santos', 'JSS'],
    ["Maria D'Ávila", 'MÁ'],
    ['Maria d’Ávila', 'MÁ'],
    ['Maria D‘Ávila', 'MÁ'],
    ['Maria D´Ávila', 'MÁ'],
    ['Maria D`Ávila', 'MÁ'],
    ['Maria DʼÁvila', 'MÁ'],
    ['José ʼZéʼ Silva', 'JZS'],
    ['Ana\u2010Zé Braga', 'AZB'],
    ['Ana-Maria Braga', 'AMB'],
    ["Maria d' Ávila", 'MÁ'],
    ["Maria d'  Ávila", 'MÁ'],
    ['x\u0302avier', 'X\u0302'],
    ['-', '-'],
    ['ângelo', 'Â'],
    ['JOSÉ DE ANCHIETA', 'JA'],
    ['Pedro e Paulo dos Anjos', 'PPA'],
    ['  Rita   de\tCássia ', 'RC'],
    ['Da Dos', 'DD'],
    ['e', 'E'],
    ['D’', 'D'],
    ['Ése', 'É'],
    ['Ângela (Irmã)', 'ÂI'],
    ['Das Dores', 'D'],
    ["José 'Zé' Silva", 'JZS'],
    ['José “Zé da Silva” «Neto»', 'JZSN'],
    ["José 'da' Silva", 'JS'],
    ["José 'd’Ávila'", 'JÁ'],
    ['João Paulo 2º', 'JP'],
    ['Ana – Maria', 'AM'],
    ['Ana—Maria & Zé', 'AMZ'],
    ['2º', '2'],
    ['de 2º', 'D2'],
  ])('of %s are %s', (name, expected) => {
    expect(initials(name)).toBe(expected)
  })

  it('are independent of case and of the composition of accents', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-záâãéêíóôõúç ]{1,40}$/), (name) => {
        fc.pre(name.trim() !== '')
        expect(initials(name.toUpperCase())).toBe(initials(name))
        expect(initials(name.normalize('NFD'))).toBe(initials(name))
      }),
    )
  })

  it('are at least one, and at most one per word', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-zÀ-ÿ' -]{1,60}$/), (name) => {
        const words = name.split(/[\s-]+/).filter(Boolean)
        fc.pre(words.length > 0)
        expect([...initials(name)].length).toBeGreaterThan(0)
        expect([...initials(name)].length).toBeLessThanOrEqual(words.length * 2) // ß is written SS
      }),
    )
  })
})
