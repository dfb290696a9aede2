import { type CsvError, parse } from 'csv-parse/sync'
import { addRow, type Row } from './cells.ts'
import { countColumns } from './columns.ts'
import { unescapeFormula } from './formulas.ts'

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
