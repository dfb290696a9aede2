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
const UNDECOMPOSED = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** Removes case and accents, for searching and sorting: `Cônego` becomes `conego`. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (/^[\0-\x7f]*$/.test(lower)) return lower
  return lower
    .replaceAll('ŀ', 'l') // its decomposition keeps the dot
    .replace(/\p{Script=Latin}+/gu, (letters) => letters.normalize('NFKD')) // also superscript letters: 1ª
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(UNDECOMPOSED, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
