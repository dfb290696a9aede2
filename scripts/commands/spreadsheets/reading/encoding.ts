import type { Columns } from '../columns.ts'
import { nameOfCell, type Row } from './cells.ts'

/** Columns of words: in a password or a telephone any sign may stand. */
const WORDS: Columns = [
  'first_name',
  'last_name',
  'full_name',
  'treatment_pronoun',
  'category',
  'diocese',
]

const QUOTES = '‘’‚“”„‹›«»'

/** Bytes 80 to BF of Windows-1252: without quotation marks, dashes, and `ª º ° ´`. */
const SIGNS = '\\x80-\\x9F¡-©¬-¯±-³µ-¹¼-¿€ƒ…†‡ˆ‰Š•˜™šœžŸŒŽ'

/** Accented letters of a Mac or of MS-DOS, read as Windows-1252: `JosŽ`, `Ant—nio`, `JoÆo`. */
const MISREAD = new RegExp(`[${SIGNS}«»‚„‹›]|(?<=\\p{Ll})[“”–—À-ÖØ-Þ](?=\\p{Ll})`, 'u')

/** UTF-8 that was encoded twice: `JoÃ£o`. `IRMÃ` may stand in quotation marks. */
const ENCODED_TWICE = new RegExp(`[ÃÂ]([${SIGNS}–—°´]|[${QUOTES}ªº](?=\\p{L}))`, 'u')

/**
 * Refuses words that show a wrong encoding, because the rest of the file is no better.
 * @param columns of the row's cells; all are words, if undefined
 * @throws {Error} naming the cell
 */
export function refuseWrongEncoding(
  { number, cells }: Row,
  isWindows1252: boolean,
  columns?: Columns,
): void {
  for (const [at, cell] of cells.entries()) {
    const isWord = !columns || WORDS.includes(columns[at])
    const isWrong = ENCODED_TWICE.test(cell) || (isWindows1252 && MISREAD.test(cell))
    if (!isWord || !isWrong) continue

    throw new Error(
      `a célula ${nameOfCell(number, at)} ("${cell.trim()}") está em outra codificação: ` +
        'salve a planilha como XLSX ou como CSV UTF-8',
    )
  }
}
