import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { isBlank } from '#domain/characters.ts'
import { initials } from '#domain/names.ts'

const INVISIBLE = [...'\u200b\u00ad\u2060\ufeff\u202e\u3164\u115f\u2800\ufe0f\u{e0041}']

describe('isBlank', () => {
  it.each(['', ' ', '\u00a0', '\u0301', ...INVISIBLE])('holds for %j', (text) => {
    expect(isBlank(text)).toBe(true)
    expect(isBlank(`${text}a`)).toBe(false)
  })

  it.each(['\0', '\u009f', '\ud800'])(
    'does not hold for %j, which is an error',
    (text) => {
      expect(isBlank(text)).toBe(false)
    },
  )
})

describe('initials', () => {
  it('never contain an invisible character', () => {
    const word = fc.string({
      unit: fc.constantFrom(...INVISIBLE, 'a', 'É', 'q\u0301', '1', "'", '('),
    })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        const found = initials(words.join(' '))
        expect(found).not.toMatch(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u)
        expect(found === '').toBe(isBlank(words.join(' ')))
      }),
      { numRuns: runs(500) },
    )
  })
})
