import { type CsvError, parse } from 'csv-parse/sync'
import { isBlank, type Row } from './cells.ts'
import { unescapeFormula } from './formulas.ts'
import { checkPlace, MAX_COLUMNS } from './limits.ts'

const DELIMITERS = [';', ',', '\t'] as const
const COMMON = {
  record_delimiter: '\n',
  relax_column_count: true,
} as const

/** In characters: as many as the cells of a spreadsheet program may have. */
const MAX_ROW_LENGTH = MAX_COLUMNS * 32_767

/** In what begins a file, the delimiter is looked for. */
const HEAD_LENGTH = 100_000
const TOLERANT = {
  to: 10,
  relax_quotes: true,
  skip_records_with_error: true,
  skip_empty_lines: true,
} as const

/**
 * Reads the rows of a CSV by the delimiter that gives the most headings.
 * @param rank how many headings a row has
 * @throws if quotation marks do not end, with the row where they begin
 * @throws {LimitError} if it is larger than what is read
 */
export function readCsv(text: string, rank: (cells: string[]) => number): Row[] {
  const content = text
    .replace(/\r\n?/g, '\n')
    .replace(OVERLONG, (run) => run.slice(0, MAX_COLUMNS))
  const head = content.slice(0, HEAD_LENGTH)
  return readRows(content, findDelimiter(head, rank))
}

/**
 * More empty cells than there are columns: they do not count, and would fill the memory. A run is
 * bounded, because each step of one takes stack.
 */
const OVERLONG = /;{200,5000}|,{200,5000}|\t{200,5000}/g

function findDelimiter(head: string, rank: (cells: string[]) => number): string {
  const ranks = DELIMITERS.map((delimiter) => {
    const options = { ...COMMON, ...TOLERANT, delimiter }
    const rows: string[][] = parse(head, options)
    return Math.max(0, ...rows.map(rank))
  })
  const best = ranks.indexOf(Math.max(...ranks))
  return DELIMITERS[best] ?? ';'
}

/** For the parser to keep, which would take memory. */
const NOTHING = null

function readRows(content: string, delimiter: string): Row[] {
  const rows: Row[] = []
  let number = 0
  const checkCell = (cell: string, { index }: { index: number }) => {
    if (!isBlank(cell)) checkPlace(number + 1, index)
    return cell
  }
  const addRow = (cells: string[]) => {
    number += 1
    const last = cells.findLastIndex((cell) => !isBlank(cell))
    if (last < 0) return NOTHING

    const filled = cells.slice(0, last + 1)
    rows.push({
      number,
      cells: filled.map(unescapeFormula),
      width: cells.length,
    })
    return NOTHING
  }

  try {
    parse(content, {
      ...COMMON,
      delimiter,
      max_record_size: MAX_ROW_LENGTH,
      cast: checkCell,
      on_record: addRow,
    })
  } catch (error) {
    const reason = REASONS[(error as CsvError).code]
    if (!reason) throw error
    throw new Error(`o CSV é inválido na linha ${number + 1}: ${reason}`)
  }
  return rows
}

const REASONS: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'aspas sem fim',
  CSV_INVALID_CLOSING_QUOTE: 'aspas sem fim, ou fora do lugar',
  INVALID_OPENING_QUOTE: 'aspas fora do lugar',
  CSV_MAX_RECORD_SIZE: 'a linha é longa demais, ou tem aspas sem fim',
}
