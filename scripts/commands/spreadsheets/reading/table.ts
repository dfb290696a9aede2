import {
  type Column,
  columnOf,
  type Columns,
  countColumns,
  headingOf,
  parseHeadings,
} from '../columns.ts'
import { faultOf, isBlank, nameOfCell, refuseWrongEncoding, type Row } from './cells.ts'
import type { FileRows } from './file.ts'

/** The texts of a row by their columns, trimmed; blank ones are left out. */
export type Texts = Partial<Record<Column, string>>

/** A row below the headings. */
export type TableRow = {
  /** Counted as in spreadsheet programs. */
  line: number
  texts: Texts
  /** The columns whose cell cannot be read. */
  faulty: Column[]
  problems: string[]
  notes: string[]
  /** The cells as they are in the file. */
  source: Row
}

/** A spreadsheet of informers. */
export type Table = {
  headings: string[]
  /** The columns of the headings. */
  columns: Columns
  rows: TableRow[]
  /** Rows of nobody, each with its first text. */
  leftOut: { line: number; text: string; reason: string }[]
  /** The names of sheets that were not read. */
  otherSheets: string[]
}

/** Maximum rows before the headings. */
const MAX_TITLE_ROWS = 10

/**
 * Finds the headings among the first ten rows, and reads the rows below.
 * @throws if headings are invalid
 */
export function toTable({ rows, isWindows1252, otherSheets }: FileRows): Table {
  const headingRow = findHeadings(rows)
  if (!headingRow) throw new Error('o arquivo está vazio')

  refuseWrongEncoding(headingRow, isWindows1252)
  const headings = Array.from(headingRow.cells, (cell = '') => cell.trim())
  const columns = parseHeadings(headings)
  const table: Table = { headings, columns, rows: [], leftOut: [], otherSheets }
  for (const row of rows.slice(rows.indexOf(headingRow) + 1)) {
    const reason = reasonToLeaveOut(row, columns, row === rows.at(-1))
    if (reason) {
      const text = row.cells.find((cell) => !isBlank(cell)) ?? ''
      const label = text.trim().replace(/:$/, '')
      table.leftOut.push({ line: row.number, text: label, reason })
      continue
    }
    refuseWrongEncoding(row, isWindows1252, columns)
    table.rows.push(toTableRow(row, columns))
  }
  if (isWindows1252) table.rows.forEach(noteLostLetters)
  return table
}

function findHeadings(rows: Row[]): Row | undefined {
  const rank = ({ cells }: Row) => countColumns(cells)
  const [best] = rows
    .slice(0, MAX_TITLE_ROWS)
    .sort((one, other) => rank(other) - rank(one))
  return best
}

/** Returns why a row is none of a person. */
function reasonToLeaveOut({ cells }: Row, columns: Columns, isLast: boolean) {
  const width = Math.max(cells.length, columns.length)
  const places = Array.from({ length: width }, (_, at) => at)
  const isRepetition = places.every((at) => columnOf(cells[at] ?? '') === columns[at])
  if (isRepetition) return 'repete os títulos'
  return isLast && isTotal(cells) ? 'não é uma pessoa' : undefined
}

/** Returns whether a row begins with "Total", and has at most a number beside it. */
function isTotal(cells: string[]): boolean {
  const filled = cells.filter((cell) => !isBlank(cell))
  const [text = '', number = '0', ...others] = filled.map((cell) => cell.trim())
  const beginsWithTotal = /^total\b/i.test(text)
  const isNumber = /^[\d.,\s]+$/.test(number)
  return beginsWithTotal && isNumber && others.length === 0
}

function toTableRow(source: Row, columns: Columns): TableRow {
  const misplaced = problemOfWidth(source, columns)
  const row: TableRow = {
    line: source.number,
    texts: {},
    faulty: [],
    problems: misplaced ? [misplaced] : [],
    notes: [],
    source,
  }
  for (const [at, cell] of source.cells.entries()) {
    const column = columns[at]
    if (column === 'reason' || isBlank(cell)) continue

    const fault = faultOf(cell, column)
    // an unreadable instant is not the author's mistake
    if (fault && column !== 'updated_at') {
      const place = column ? headingOf(column) : nameOfCell(row.line, at)
      row.problems.push(`${place}: ${fault}`)
      if (column) row.faulty.push(column)
    } else if (column && !misplaced) {
      row.texts[column] = cell.trim()
    }
  }
  return row
}

/** A row of a CSV that was cut, or cells outside the headings. */
function problemOfWidth({ cells, width }: Row, columns: Columns): string | undefined {
  const expected = columns.findLastIndex(Boolean) + 1
  const isCut = width !== undefined && width < expected
  const isMisplaced = cells.some((cell, at) => {
    const isText = !isBlank(cell) && !faultOf(cell)
    return isText && !columns[at]
  })
  if (!isCut && !isMisplaced) return undefined

  const actual = width ?? cells.length
  return `${actual} células, mas os títulos são ${expected}`
}

const NAMES = ['first_name', 'last_name', 'full_name'] as const

/** Windows-1252 has a question mark for the letters that it lacks. */
function noteLostLetters({ texts, notes }: TableRow): void {
  for (const column of NAMES) {
    const name = texts[column]
    if (!name?.includes('?')) continue
    notes.push(
      `${headingOf(column)} "${name}": o "?" pode ser uma letra perdida; ` +
        'salve a planilha como CSV UTF-8',
    )
  }
}
