import { unicodePattern } from './unicode-pattern.ts'

/** The shapes of an apostrophe, which keyboards and word processors choose. */
export const APOSTROPHES = /['’‘‛´`ʼʻ′]/g

/** Letters that sort like others, although Unicode does not decompose them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ø: 'o',
  ς: 'σ',
}

/**
 * Not lone accents (Sk), which NFKD would turn into spaces, nor the two ligatures that it would turn
 * into whole sentences.
 */
const decomposable = unicodePattern(String.raw`[^\p{Sk}\uFDFA\uFDFB]+`, 'gu')
const marks = unicodePattern(String.raw`\p{M}`, 'gu')
const blanks = unicodePattern(String.raw`\p{White_Space}+`, 'gu')

/**
 * Returns a text without case and accents, to search and sort by: `Cônego` gives `conego`, `2º`
 * gives `2o`. Apostrophes of all shapes are one, and so are several blanks.
 */
export function fold(text: string): string {
  return (/^[ -~]*$/.test(text) ? text : withoutMarks(text))
    .replace(APOSTROPHES, "'")
    .replace(/ {2,}/g, ' ')
    .toLowerCase()
    .replace(/[đðħłøς]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

const withoutMarks = (text: string) =>
  text
    .replace(decomposable(), (part) => part.normalize('NFKD'))
    .replace(marks(), '')
    .replace(blanks(), ' ')

/** Returns the words of a folded text. */
export const wordsOf = (folded: string): string[] => folded.split(' ').filter(Boolean)
