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
 * Returns a text without case and accents, to search and sort by: `Cônego` gives `conego`, `2º`
 * gives `2o`.
 */
export function fold(text: string): string {
  return (
    text
      // without lone accents (Sk), which NFKD would turn into spaces
      .replace(/[^\p{Sk}]+/gu, (part) => part.normalize('NFKD'))
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[đðħłøς]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
  )
}
