/** Letters that Portuguese collation treats as plain ones, although Unicode does not decompose them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = { đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ø: 'o' }

/** Text without case and accents, to search and sort by: `Cônego` gives `conego`, `2º` gives `2o`. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[đðħłø]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
