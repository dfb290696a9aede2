/**
 * The letters of Portuguese, and of the other languages that Brazilian names come from (Spanish, Italian,
 * French, German, Guarani), without their accents; and the bare accents of decomposed text, which vanish.
 *
 * SQLite folds only ASCII, so the database folds with this very table (`foldedSql` in the schema). Both
 * sides share it, so a search text is folded exactly as what it is searched in. D1 allows an expression
 * 100 levels deep, which bounds the table.
 */
export const FOLDED_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['a', 'àáâãäåÀÁÂÃÄÅ'],
    ['c', 'çÇ'],
    ['e', 'èéêëẽÈÉÊËẼ'],
    ['i', 'ìíîïĩÌÍÎÏĨ'],
    ['n', 'ñÑ'],
    ['o', 'òóôõöÒÓÔÕÖ'],
    ['u', 'ùúûüũÙÚÛÜŨ'],
    ['y', 'ýÿỹÝŸỸ'],
    ['', '\u0300\u0301\u0302\u0303\u0308\u0327'],
  ].flatMap(([letter, accented]) => [...(accented as string)].map((from) => [from, letter as string])),
)

const FOLDED_LETTER = new RegExp(`[${Object.keys(FOLDED_LETTERS).join('')}]`, 'gu')

/** Text without case and accents, to search and order by: `Cônego` gives `conego`. */
export function fold(text: string): string {
  return text
    .replace(FOLDED_LETTER, (letter) => FOLDED_LETTERS[letter] ?? letter)
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
