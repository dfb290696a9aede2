import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { initials } from '../../src/domain/names.ts'
import { hasHiddenCharacters, isBlank } from '../../src/domain/visibility.ts'

const INVISIBLE = [
  '\u200b',
  '\u00ad',
  '\u2060',
  '\ufeff',
  '\u202e',
  '\u3164',
  '\u115f',
  '\u2800',
  '\ufe0f',
  '\u{e0041}',
]

describe('isBlank', () => {
  it.each(['', ' ', '\u00a0', '\u0301', ...INVISIBLE])('holds for %j', (text) => {
    expect(isBlank(text)).toBe(true)
    expect(isBlank(`${text}a`)).toBe(false)
  })

  it.each(['\0', '\u009f', '\ud800'])('does not hold for %j, which is an error', (text) => {
    expect(isBlank(text)).toBe(false)
  })
})

describe('hasHiddenCharacters', () => {
  it.each([
    ['a zero-width space', 'Jo\u200bão'],
    ['a joiner between Latin letters', 'Jo\u200dão'],
    ['a joiner next to a combining mark', 'q\u0301\u200cq'],
    ['a joiner at the end', 'نامه\u200c'],
    ['a byte order mark', 'Jo\ufeffão'],
    ['a soft hyphen', 'Jo\u00adão'],
    ['a right-to-left override', 'Jo\u202eão'],
    ['a right-to-left mark', 'Jo\u200fão'],
    ['an isolate', 'Jo\u2067ão\u2069'],
    ['an Arabic letter mark', 'Jo\u061cão'],
    ['a variation selector after a letter', 'João\ufe0f'],
    ['tag characters', 'João\u{e0061}\u{e007f}'],
    ['a Hangul filler', 'João\u3164'],
    ['an interlinear annotation', 'Ana\ufff9Maria'],
    ['a separator of annotations', 'Ana\ufffaMaria'],
    ['the end of an annotation', 'Ana\ufffbMaria'],
  ])('finds %s', (_, text) => {
    expect(hasHiddenCharacters(text)).toBe(true)
  })

  it.each([
    ['Latin', "Ângela D'Ávila-Müller"],
    ['Hebrew', 'שרה'],
    ['Arabic with a number sign', '\u0600\u0661'],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Devanagari with a joiner', 'क्\u200dष'],
    ['a family of emoji', '👩🏽\u200d🚀👨\u200d👩\u200d👧'],
    ['an emoji in colour', '❤\ufe0f ❤\ufe0f\u200d🔥'],
    ['a key', '1\ufe0f\u20e3'],
    ['a Japanese name with a variant', '葛\u{e0100}城'],
  ])('accepts %s', (_, text) => {
    expect(hasHiddenCharacters(text)).toBe(false)
  })
})

describe('initials', () => {
  it('never contain an invisible character', () => {
    const word = fc.string({ unit: fc.constantFrom(...INVISIBLE, 'a', 'É', 'q\u0301', '1', "'", '(') })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        const found = initials(words.join(' '))
        expect(found).not.toMatch(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u)
        expect(found === '').toBe(isBlank(words.join(' ')))
      }),
      { numRuns: 2000 },
    )
  })
})
