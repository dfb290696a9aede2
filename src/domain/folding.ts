/**
 * The accented letters of Portuguese and of the other languages that names in Brazil come from, lower case,
 * by the letter without its accent; and the bare accents of decomposed text, which vanish.
 *
 * SQLite knows only ASCII, so the database folds with these very letters (see its schema). Both sides share
 * them, so a search text is folded exactly as what it is searched in. D1 allows an expression 100 levels
 * deep, which bounds the list.
 */
export const ACCENTED_LETTERS: Readonly<Record<string, string>> = {
  a: 'àáâãäåāăą',
  c: 'çćč',
  d: 'ďđ',
  e: 'èéêëẽēėęě',
  g: 'ğ',
  i: 'ìíîïĩīį',
  l: 'ľł',
  n: 'ñńňņ',
  o: 'òóôõöøōő',
  r: 'ŕř',
  s: 'śšşș',
  t: 'ťţț',
  u: 'ùúûüũūůűų',
  y: 'ýÿỹ',
  z: 'źżž',
  '': '\u0300\u0301\u0302\u0303\u0308\u030c\u0327',
}

/** Every accented letter in upper case, with its lower case. */
export const LOWERED: [string, string][] = Object.values(ACCENTED_LETTERS)
  .flatMap((letters) => [...letters])
  .filter((letter) => letter.toUpperCase() !== letter)
  .map((letter) => [letter.toUpperCase(), letter])

/** Every accented letter in lower case, and every accent, with what remains of it. */
export const UNACCENTED: [string, string][] = Object.entries(ACCENTED_LETTERS).flatMap(([plain, letters]) =>
  [...letters].map((letter): [string, string] => [letter, plain]),
)

const REPLACEMENTS = new Map([
  ...LOWERED.map(([upper, lower]) => [upper, new Map(UNACCENTED).get(lower) ?? lower] as const),
  ...UNACCENTED,
])
const REPLACED = new RegExp(`[${[...REPLACEMENTS.keys()].join('')}]`, 'gu')

/** Text without case and accents, to search and order by: `Cônego` gives `conego`. */
export function fold(text: string): string {
  return text
    .replace(REPLACED, (letter) => REPLACEMENTS.get(letter) ?? letter)
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
