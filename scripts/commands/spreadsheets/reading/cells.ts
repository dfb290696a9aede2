import type { Column, Columns } from '../columns.ts'

/** A row that is not blank. Trailing cells that the file omits are missing. */
export type Row = {
  /** Counted as in spreadsheet programs: from 1, including blank rows. */
  number: number
  cells: string[]
  /** The number of cells that a row of a CSV has. */
  width?: number
}

const MAX_ROWS = 50_000
const MAX_COLUMNS = 200

/** Stands for a formula that no program has calculated. */
export const NO_VALUE = '#SEM VALOR'

/** Stands for a date: no column has dates, so a program has converted something else. */
export const DATE = '#DATA'

/**
 * Errors of spreadsheet programs in Portuguese and English, and LibreOffice's numbered ones. A list,
 * because a pattern such as `#\w+!` would match passwords.
 */
const ERROR =
  /^(#N\/[AD]|#VALOR!|#VALUE!|#REF!|#NOME\?|#NAME\?|#DIV\/0!|#N[UÚ]M!|#NULL!|#NULO!|#SPILL!|#DESPEJAR!|#CALC!|#CAMPO!|#FIELD!|#ERROR!|#GETTING_DATA|Err:\d{3})$/i

/** Returns whether a text is an error of a spreadsheet program. */
export const isErrorText = (text: string) => ERROR.test(text)

/** A long number, as programs shorten it, or one in a narrow column. */
const LOST_DIGITS = /^([+-]?\d+([.,]\d+E[+-]?|E\+)\d+|#+)$/i

/** Columns of numbers that nobody calculates with. */
const DIGITS: (Column | undefined)[] = ['cpf', 'phone']

/** Without its mark, which programs do not shorten. */
const EXPONENT = /^\d+E-?\d+$/i

/**
 * A number with decimals, also with its thousands separated. Without the mark, `1234567032.0` is
 * often another person's CPF. `5555.0100` is a telephone.
 */
const DECIMALS =
  /^\+?(\d+[.,]\d{1,2}|\d{8,}[.,]\d+|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(,\d{3})+\.\d+)$/

/** Stands for bytes that are invalid in a file's encoding. */
const LOST_LETTER = '\uFFFD'

/** Returns the reason to refuse a cell. Does not show a password. */
export function faultOf(cell = '', column?: Column): string | undefined {
  const text = cell.trim()
  const shown = column === 'password' ? '' : ` (${text})`
  if (DIGITS.includes(column)) {
    if (EXPONENT.test(text)) return `o número perdeu os seus dígitos${shown}`
    if (DECIMALS.test(text)) return `o número tem casas decimais${shown}`
  }
  if (text === NO_VALUE) return 'a célula tem uma fórmula sem valor'
  if (text === DATE) return 'a célula tem uma data'
  if (isErrorText(text)) return `a célula tem um erro${shown}`
  if (LOST_DIGITS.test(text)) return `o número perdeu os seus dígitos${shown}`
  if (text.includes(LOST_LETTER)) return `letras deste texto se perderam${shown}`
  return undefined
}

export function isBlank(cell = ''): boolean {
  return cell.trim() === ''
}

/**
 * Adds a row without trailing blank cells; skips blank rows.
 * @throws {Error} if there are more rows or columns than an import reads
 */
export function addRow(rows: Row[], { cells, ...row }: Row): void {
  const last = cells.findLastIndex((cell) => !isBlank(cell))
  if (last < 0) return

  if (row.number > MAX_ROWS + 1) throw new Error('a planilha tem mais de 50.000 linhas')
  if (last >= MAX_COLUMNS) throw new Error('a planilha tem mais de 200 colunas')
  rows.push({ ...row, cells: cells.slice(0, last + 1) })
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A place such as `AB12`; an import reads no column of three letters. */
export function nameOfCell(line: number, column: number): string {
  const first = LETTERS[Math.floor(column / 26) - 1] ?? ''
  return `${first}${LETTERS[column % 26]}${line}`
}

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
