import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/domain/folding.ts'

const LAST_LATIN = 0x1eff

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
    ['ΌΔΟΣ', 'οδοσ'],
    ['1ª e 2º', '1a e 2o'],
    ['100% _ " * \\ ½', '100% _ " * \\ ½'],
  ])('folds %s to %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('folds equally all Latin letters that are equal in Portuguese collation', () => {
    const { compare } = new Intl.Collator('pt', { sensitivity: 'base' })
    const letters = Array.from({ length: LAST_LATIN + 1 }, (_, code) => String.fromCodePoint(code))
      .filter((letter) => /(?=\p{L})\p{Script=Latin}/u.test(letter))
      .sort(compare)
    const differing = letters.filter((letter, at) => {
      const previous = letters[at - 1]
      return previous && compare(previous, letter) === 0 && fold(previous) !== fold(letter)
    })
    expect(letters.length).toBeGreaterThan(900)
    expect(differing).toEqual([])
  })

  it('is independent of case and normal form, and idempotent', () => {
    const letter = fc.constantFrom(...'aZÀÿçÇĩŨẼỹŸŁżŞ 9%_"*\\', '\u0301', 'Œ', 'Ж', '😀')
    fc.assert(
      fc.property(fc.string({ unit: letter }), (text) => {
        const folded = fold(text)
        for (const form of [text.normalize('NFD'), text.normalize('NFC'), text.toLowerCase(), folded])
          expect(fold(form)).toBe(folded)
      }),
    )
  })
})
