import { isVisible } from './visibility.ts'

const ARTICLES_AND_PREPOSITIONS = new Set('a o as os e de da do das dos em na no nas nos'.split(' '))

/** The names a person has, in one line: `João da Silva`, or `João` where there is no last name. */
export function fullName(person: { first_name: string; last_name: string | null }): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ')
}

/**
 * The initials of a full name: the first letter of each word, upper case, accents kept. Words are separated by
 * spaces and hyphens. Articles and prepositions are left out, also the elided `d'` in front of a word; where
 * nothing would remain, all words are used. `João da Silva Santos` gives `JSS`, `Maria D'Ávila` gives `MÁ`.
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

/** The first letter, past an opening quote or bracket; the first character that shows where a word has no letter. */
function firstLetter(word: string): string {
  const letter = word.match(LETTER)?.[0] ?? [...word].find(isVisible) ?? ''
  return letter.toUpperCase()
}
