/** Letters that collation treats as others, although Unicode does not decompose them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ø: 'o',
  ς: 'σ',
}

/**
 * Text without case and accents, to search and sort by: `Cônego` gives `conego`, `2º` gives `2o`.
 */
export function fold(text: string): string {
  return text
    .replace(/[^\p{Sk}]+/gu, (part) => part.normalize('NFKD')) // which makes a space of an accent that stands alone
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[đðħłøς]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
