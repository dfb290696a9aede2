import { type CsvError, parse } from 'csv-parse/sync'
import { countColumns } from './columns.ts'
import { addRow, type Row } from './reading/cells.ts'

const DELIMITERS = [';', ',', '\t'] as const
const COMMON = { record_delimiter: '\n', relax_column_count: true } as const

/** Characters at the beginning of a file that decide the delimiter. */
const HEAD_LENGTH = 100_000
const TOLERANT = {
  to: 10,
  relax_quotes: true,
  skip_records_with_error: true,
  skip_empty_lines: true,
} as const

const REASONS: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'aspas sem fim',
  CSV_INVALID_CLOSING_QUOTE: 'aspas sem fim, ou fora do lugar',
  INVALID_OPENING_QUOTE: 'aspas fora do lugar',
}

/** Tells a spreadsheet program that this is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Text that a spreadsheet program would run, even after apostrophes (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Reads the rows of a CSV by the delimiter that yields the most headings.
 * @throws {Error} if quotation marks do not end, with the row where they begin; or if it is larger
 *   than the import allows
 */
export function readCsv(text: string): Row[] {
  const content = text.replace(/\r\n?/g, '\n')
  const delimiter = findDelimiter(content.slice(0, HEAD_LENGTH))

  const rows: Row[] = []
  let number = 0
  const onRecord = (cells: string[]) => {
    number += 1
    addRow(rows, { number, cells: cells.map(unescapeFormula), width: cells.length })
    return null // the parser keeps nothing
  }
  try {
    parse(content, { ...COMMON, delimiter, on_record: onRecord })
  } catch (error) {
    const reason = REASONS[(error as CsvError).code]
    if (!reason) throw error
    throw new Error(`o CSV é inválido na linha ${number + 1}: ${reason}`)
  }
  return rows
}

function findDelimiter(head: string): string {
  const ranks = DELIMITERS.map((delimiter) => {
    const rows: string[][] = parse(head, { ...COMMON, ...TOLERANT, delimiter })
    return Math.max(0, ...rows.map(countColumns))
  })
  const best = ranks.indexOf(Math.max(...ranks))
  return DELIMITERS[best] ?? ';'
}

/** Returns CSV for spreadsheet programs in Portuguese, which separate cells by semicolons. */
export function toCsv(rows: string[][]): string {
  const lines = rows.map((cells) => {
    const line = cells.map(toCell).join(';')
    return `${line}\r\n`
  })
  return BYTE_ORDER_MARK + lines.join('')
}

/** Puts an apostrophe before a text that would be a formula. */
function toCell(text: string): string {
  const escaped = FORMULA.test(text) ? `'${text}` : text
  return `"${escaped.replaceAll('"', '""')}"`
}

/** Returns a cell as it was before `toCsv`. */
export function unescapeFormula(cell: string): string {
  const isEscaped = cell.startsWith("'") && FORMULA.test(cell)
  return isEscaped ? cell.slice(1) : cell
}

/** Prints CSV to standard output, which may be a file on a full disk. */
export function printCsv(csv: string): void {
  process.stdout.once('error', ({ code }: NodeJS.ErrnoException) => {
    console.error(`Não foi possível exportar: a saída não pode ser escrita (${code})`)
    process.exitCode = 1
  })
  process.stdout.write(csv)
}
