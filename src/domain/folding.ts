/**
 * The accented letters of Portuguese and of the other languages that names in Brazil come from, lower case,
 * by the letter without its accent; and the bare accents of decomposed text, which vanish.
 */
const ACCENTED_LETTERS: Readonly<Record<string, string>> = {
  a: 'àáâãäåāăąǎ',
  c: 'çćĉċč',
  d: 'ďđ',
  e: 'èéêëẽēĕėęě',
  g: 'ĝğġģ',
  h: 'ĥ',
  i: 'ìíîïĩīĭįǐ',
  j: 'ĵ',
  k: 'ķ',
  l: 'ĺļľł',
  n: 'ñńňņ',
  o: 'òóôõöøōŏőǒ',
  r: 'ŕŗř',
  s: 'śŝşšș',
  t: 'ťţț',
  u: 'ùúûüũūŭůűųǔ',
  w: 'ŵ',
  y: 'ýÿŷỹ',
  z: 'źżž',
  æ: 'æ',
  œ: 'œ',
  ð: 'ð',
  þ: 'þ',
  '': '\u0300\u0301\u0302\u0303\u0308\u030c\u0327',
}

/**
 * What every accented letter of either case, and every accent, is folded to. SQLite knows only ASCII, so the
 * database folds with this very list (database/columns.ts): a search text is folded exactly as what it is
 * searched in.
 */
export const FOLDED: [letter: string, folded: string][] = Object.entries(ACCENTED_LETTERS).flatMap(
  ([plain, letters]) =>
    [...new Set([...letters, ...letters.toUpperCase()])]
      .filter((letter) => letter !== plain)
      .map((letter): [string, string] => [letter, plain]),
)

const FOLDED_LETTERS = new Map(FOLDED)
const LETTER = new RegExp(`[${[...FOLDED_LETTERS.keys()].join('')}]`, 'gu')

/** Text without case and accents, to search and order by: `Cônego` gives `conego`. */
export function fold(text: string): string {
  return text
    .replace(LETTER, (letter) => FOLDED_LETTERS.get(letter) ?? letter)
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
