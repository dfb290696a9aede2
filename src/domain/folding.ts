/**
 * The letters that Portuguese collation takes for a plain one (`Intl.Collator('pt', { sensitivity: 'base' })`),
 * though Unicode does not decompose them into it; and the final sigma, which has no upper case of its own.
 */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ᶞ: 'd',
  ᵹ: 'g',
  ħ: 'h',
  ᵎ: 'ᴉ',
  ł: 'l',
  ŀ: 'l',
  ø: 'o',
  ς: 'σ',
}
const UNDECOMPOSED = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** Text without case and accents, to search and sort by: `Cônego` gives `conego`. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (/^[\0-\x7f]*$/.test(lower)) return lower
  return lower
    .replace(UNDECOMPOSED, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(/\p{Script=Latin}+/gu, (letters) => letters.normalize('NFKD')) // ª and other raised letters too
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}
