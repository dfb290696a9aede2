import { isVisible } from './visibility.ts'

const ARTICLES_AND_PREPOSITIONS = new Set('a o as os e de da do das dos em na no nas nos'.split(' '))

/** Full name: `João da Silva`, or `João` without a last name. */
export function fullName(person: { first_name: string; last_name: string | null }): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ')
}

/**
 * The initials of a full name: the first letter of each word, upper case, with accents. Words are separated by spaces
 * and hyphens. Articles and prepositions are skipped, also a leading `d'`; if nothing remains, all words
 * are used. `João da Silva Santos` gives `JSS`, `Maria D'Ávila` gives `MÁ`.
 */
export function initials(name: string): string {
  const text = name.normalize('NFC').replace(/['’]\s+/g, "'")
  const words = text.split(/[\s\u2010\u2011-]+/).filter(isVisible)
  const counting = words
    .filter((word) => !ARTICLES_AND_PREPOSITIONS.has(word.toLowerCase()))
    .map((word) => word.replace(/^d['’](?=.)/iu, ''))
  const chosen = [counting, words, [text]].find(({ length }) => length > 0) ?? []
  return chosen.map(firstLetter).join('')
}

const LETTER = /(?!\p{Default_Ignorable_Code_Point})\p{L}(?:(?!\p{Default_Ignorable_Code_Point})\p{M})*/u

/** The first letter, or the first visible character of a word without letters. */
function firstLetter(word: string): string {
  const letter = word.match(LETTER)?.[0] ?? [...word].find(isVisible) ?? ''
  return letter.toUpperCase()
}
