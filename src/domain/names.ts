import { isVisible } from './characters.ts'
import { APOSTROPHES } from './folding.ts'

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

/** Returns the first letter of a word, with its accents. An ordinal indicator is no letter here. */
const firstLetter = (word: string) =>
  word.match(
    /(?![ªº\p{Default_Ignorable_Code_Point}])\p{L}(?:(?!\p{Default_Ignorable_Code_Point})\p{M})*/u,
  )?.[0]

const withoutQuotes = (word: string) =>
  word.replace(/^["'\p{Pi}\p{Pf}‚„]+|["'\p{Pi}\p{Pf}‚„]+$/gu, '')

/**
 * The initials of a full name: the first letter of each word, upper case, with accents. Words are
 * separated by spaces, hyphens and dashes; quotation marks around them are ignored. Articles and
 * prepositions, also a leading `d'`, and words without a letter are skipped; if nothing remains,
 * all words are used. `João da Silva Santos` gives `JSS`, `Maria D'Ávila` gives `MÁ`.
 */
export function initials(name: string): string {
  const text = name
    .normalize('NFC')
    .replace(APOSTROPHES, "'")
    .replace(/(?<!\p{L})(d')\s+/giu, '$1')
  const words = text
    .split(/[\s\p{Pd}]+/u)
    .map(withoutQuotes)
    .filter(isVisible)
  const counting = words
    .map((word) => word.replace(/^d'(?=.)/iu, ''))
    .filter(
      (word) => firstLetter(word) && !ARTICLES_AND_PREPOSITIONS.has(word.toLowerCase()),
    )
  const chosen = [counting, words, [text]].find(({ length }) => length > 0) ?? []
  // of a word without letters, the first visible character
  const letters = chosen.map(
    (word) => firstLetter(word) ?? [...word].find(isVisible) ?? '',
  )
  return letters.join('').toUpperCase()
}
