/**
 * Letters that Portuguese collation (`Intl.Collator('pt', { sensitivity: 'base' })`) treats as plain letters although
 * Unicode does not decompose them, and the final sigma, which has no upper case of its own.
 */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ʣ: 'dz',
  ᴈ: 'ɜ',
  ᵹ: 'g',
  ħ: 'h',
  ᵎ: 'ᴉ',
  ł: 'l',
  ø: 'o',
  ʦ: 'ts',
  ƾ: 'ts',
  ς: 'σ',
}
const MARKS = /\p{M}+/gu
/** The combining accents of Portuguese, found faster than all marks. */
const ACCENTS = /[\u0300-\u036f]+/g
const ASCII = /^[\0-\x7f]*$/
const UNDECOMPOSED = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** Text without case and accents, to search and sort by: `Cônego` gives `conego`. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFD').replace(ACCENTS, '').toLowerCase()
  if (ASCII.test(plain)) return plain // all of Portuguese; the rest is rare and slow
  return plain
    .replaceAll('ŀ', 'l') // its decomposition keeps the dot
    .replace(/\p{Script=Latin}+/gu, (letters) => letters.normalize('NFKD')) // raised letters too: 1ª
    .replace(MARKS, '')
    .toLowerCase()
    .replace(UNDECOMPOSED, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
