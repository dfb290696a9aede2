import { faultOf, isBlank, type Row, textOf } from './cells.ts'
import { type Column, countColumns, headingOf, parseHeadings } from './columns.ts'
import type { FileRows } from './file.ts'

/** The texts of a row by their columns, trimmed; blank ones are left out. */
export type Texts = Partial<Record<Column, string>>

/** A row below the headings. */
export type TableRow = {
  /** As spreadsheet programs count. */
  line: number
  texts: Texts
  problems: string[]
  notes: string[]
  /** The cells as they are in the file. */
  source: Row
}

/** A spreadsheet of informers. */
export type Table = {
  headings: string[]
  /** What the headings mean; undefined where one is blank. */
  columns: (Column | undefined)[]
  rows: TableRow[]
  /** The line and the text of a last row that counts the others. */
  total?: { line: number; text: string }
}

/** Rows in which headings are looked for. */
const MAX_TITLE_ROWS = 10

/** Finds the headings among the first ten rows, and reads what is below. @throws if headings are invalid */
export function toTable({ rows, isWindows1252 }: FileRows): Table {
  const candidates = rows.slice(0, MAX_TITLE_ROWS)
  const rank = ({ cells }: Row) => countColumns(cells.map(textOf))
  const [headingRow] = candidates.sort((one, other) => rank(other) - rank(one))
  if (!headingRow) throw new Error('o arquivo está vazio')

  const headings = headingRow.cells.map((cell) => textOf(cell).trim())
  const columns = parseHeadings(headings)
  const below = rows.slice(rows.indexOf(headingRow) + 1)
  const total = toTotal(below.at(-1))
  if (total) below.pop()

  const tableRows = below.map((row) => toTableRow(row, columns))
  if (isWindows1252) tableRows.forEach(noteLostLetters)
  return {
    headings,
    columns,
    rows: tableRows,
    ...(total && { total }),
  }
}

/** A row that begins with "Total", and has at most a number beside it. */
function toTotal(row?: Row): Table['total'] {
  const [first = '', ...others] = row?.cells.filter((cell) => !isBlank(cell)).map(textOf) ?? []
  const isNumber = (text: string) => /^[\d.,\s]+$/.test(text)
  const isTotal = /^\s*total\b/i.test(first) && others.length <= 1 && others.every(isNumber)
  return row && isTotal ? { line: row.number, text: first.trim() } : undefined
}

function toTableRow(source: Row, columns: (Column | undefined)[]): TableRow {
  const { number: line, cells } = source
  const misplaced = problemOfWidth(source, columns)
  const texts: Texts = {}
  const problems = misplaced ? [misplaced] : []
  for (const [at, cell] of cells.entries()) {
    const column = columns[at]
    if (column === 'reason' || isBlank(cell)) continue

    const fault = faultOf(cell)
    // an instant that cannot be read is no mistake of whoever wrote the file
    if (fault && column !== 'updated_at')
      problems.push(`${column ? headingOf(column) : nameOfCell(line, at)}: ${fault.reason}`)
    else if (column && !misplaced) texts[column] = textOf(cell).trim()
  }
  return {
    line,
    texts,
    problems,
    notes: [],
    source,
  }
}

/** A row of a CSV that was cut, or cells beside the headings. */
function problemOfWidth({ cells, width }: Row, columns: (Column | undefined)[]) {
  const expected = columns.findLastIndex(Boolean) + 1
  const isCut = width !== undefined && width < expected
  const isMisplaced = cells.some((cell, at) => !columns[at] && !isBlank(cell) && !faultOf(cell))
  if (!isCut && !isMisplaced) return undefined
  return `${width ?? cells.length} células, mas os títulos são ${expected}`
}

/** A place such as `AB12`. */
function nameOfCell(line: number, column: number): string {
  let letters = ''
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters + line
}

/** Windows-1252 has a question mark for the letters that it lacks. */
function noteLostLetters({ texts, notes }: TableRow): void {
  for (const column of ['first_name', 'last_name', 'full_name'] as const)
    if (texts[column]?.includes('?'))
      notes.push(
        `${headingOf(column)} "${texts[column]}": o "?" pode ser uma letra que se perdeu; salve a planilha como CSV UTF-8`,
      )
}
