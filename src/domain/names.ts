import { isVisible } from './characters.ts'
import { APOSTROPHES } from './folding.ts'
import { unicodePattern } from './unicode-pattern.ts'

const ARTICLES_AND_PREPOSITIONS = new Set(
  'a o as os e de da do das dos em na no nas nos'.split(' '),
)

/** Full name: `João da Silva`, or `João` without a last name. */
export function fullName(person: {
  first_name: string
  last_name?: string | null
}): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ')
}

/** A letter with its accents. An ordinal indicator is not a letter here. */
const letter = unicodePattern(
  String.raw`(?![ªº\p{Default_Ignorable_Code_Point}])\p{L}(?:(?!\p{Default_Ignorable_Code_Point})\p{M})*`,
)
const quotesAround = unicodePattern(
  String.raw`^["'\p{Pi}\p{Pf}‚„]+|["'\p{Pi}\p{Pf}‚„]+$`,
  'gu',
)
const elision = unicodePattern(String.raw`(?<!\p{L})(d')\s+`, 'giu')
/** What separates the words of a name. */
export const spacesAndDashes = unicodePattern(String.raw`[\s\p{Pd}]+`)

/**
 * The initials of a full name: the first letter of each word, upper case, with accents. Words are
 * separated by spaces, hyphens and dashes; quotation marks around them are ignored. Articles and
 * prepositions, also a leading `d'`, and words without a letter are skipped; if nothing remains,
 * all words are used. `João da Silva Santos` gives `JSS`, `Maria D'Ávila` gives `MÁ`.
 */
export function initials(name: string): string {
  const text = name.normalize('NFC').replace(APOSTROPHES, "'").replace(elision(), '$1')
  const words = text
    .split(spacesAndDashes())
    .map((word) => word.replace(quotesAround(), ''))
    .filter(isVisible)
  const counting = words
    .map((word) => word.replace(/^d'(?=.)/iu, ''))
    .filter(
      (word) => letter().test(word) && !ARTICLES_AND_PREPOSITIONS.has(word.toLowerCase()),
    )
  const chosen = [counting, words, [text]].find(({ length }) => length > 0) ?? []
  // of a word without letters, the first visible character
  const letters = chosen.map(
    (word) => word.match(letter())?.[0] ?? [...word].find(isVisible) ?? '',
  )
  return letters.join('').toUpperCase()
}
