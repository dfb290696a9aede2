import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '#domain/folding.ts'

/** The end of Latin Extended-A, which holds the letters of all European languages. */
const LAST_EUROPEAN = 0x17f

describe('fold', () => {
  it.each([
    ['Cônego', 'conego'],
    ['NÚNCIO APOSTÓLICO', 'nuncio apostolico'],
    ['Ação', 'acao'],
    ['Ação'.normalize('NFD'), 'acao'],
    ['Ñandeva Guaraní ỹ ẽ', 'nandeva guarani y e'],
    ['Łódź, Ø e Šimon', 'lodz, o e simon'],
    ['İstanbul, Ắ', 'istanbul, a'],
    ['ŒUVRE ÆON Þór Ķekava Ŵ', 'œuvre æon þor kekava w'],
    ['STRASSE Straße', 'strasse straße'],
    ['\u0301', ''],
    ['1ª e 2º', '1a e 2o'],
    ["D'Ávila D’Ávila D‘Ávila", "d'avila d'avila d'avila"],
    ['D´Ávila D`Ávila DʼÁvila', "d'avila d'avila d'avila"],
    ['Ana  da\tSilva\u00A0\u2003Souza', 'ana da silva souza'],
    ['¨ ~ \uFDFA', '¨ ~ \uFDFA'],
    ['ΟΔΟΣ ΑΣ', 'οδοσ ασ'],
    ['100% _ " * \\', '100% _ " * \\'],
  ])('folds %s to %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('folds equally the European letters that are equal in Portuguese collation, but the Catalan ŀ', () => {
    const { compare } = new Intl.Collator('pt', { sensitivity: 'base' })
    const letters = Array.from({ length: LAST_EUROPEAN + 1 }, (_, code) =>
      String.fromCodePoint(code),
    )
      .filter((letter) => /(?=\p{L})\p{Script=Latin}/u.test(letter) && !/ŀ/i.test(letter))
      .sort(compare)
    const differing = letters.filter((letter, at) => {
      const previous = letters[at - 1]
      return (
        previous && compare(previous, letter) === 0 && fold(previous) !== fold(letter)
      )
    })
    expect(letters.length).toBeGreaterThan(230)
    expect(differing).toEqual([])
  })

  it('folds a text as its parts, so that a part of it is found', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        (one, other) => {
          const parts = fold(one) + fold(other)
          expect(fold(one + other)).toBe(parts.replace('  ', ' '))
        },
      ),
    )
  })

  it('makes no character more than six times as long, so that a text stays short', () => {
    const bytes = (text: string) => new TextEncoder().encode(text).length
    const longest = Array.from({ length: 0x20000 }, (_, code) =>
      String.fromCodePoint(code),
    )
      .filter((character) => character.normalize('NFKD') !== character)
      .filter((character) => bytes(fold(character)) > 6 * bytes(character))
    expect(longest).toEqual([])
  })

  it('is independent of case and normal form, and idempotent', () => {
    const letter = fc.constantFrom(...'aZÀÿçÇĩŨẼỹŸŁżŞ 9%_"*\\', '\u0301', 'Œ', 'Ж', '😀')
    fc.assert(
      fc.property(fc.string({ unit: letter }), (text) => {
        const folded = fold(text)
        for (const form of [
          text.normalize('NFD'),
          text.normalize('NFC'),
          text.toLowerCase(),
          folded,
        ]) {
          expect(fold(form)).toBe(folded)
        }
      }),
    )
  })
})
