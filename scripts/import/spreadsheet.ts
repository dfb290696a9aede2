import { type CsvError, parse } from 'csv-parse/sync'
import { readSheet, SheetNotFoundError } from 'read-excel-file/node'
import { type Column, columnOf, parseHeadings } from './columns.ts'
import { unescapeFormula } from './csv.ts'

/** A row below the headings, and its line in the file. Blank cells are left out. */
export type SpreadsheetRow = {
  line: number
  cells: Partial<Record<Column, string>>
  problem?: string
}
type Line = { line: number; cells: string[] }

const DELIMITERS = [';', ',', '\t'] as const
const CSV = { record_delimiter: '\n', info: true, relax_column_count: true, skip_empty_lines: true }
/** Lines in which headings are looked for. */
const MAX_TITLE_LINES = 10
const isBlank = (cell: string) => cell.trim() === ''
const startsWith = (bytes: Uint8Array, text: string) =>
  Buffer.from(bytes).indexOf(text, 0, 'latin1') === 0

/**
 * Reads a spreadsheet of informers: XLSX, or CSV in UTF-8 or Windows-1252 with commas, semicolons or tabs. The headings
 * are among the first ten lines; those before them are passed over.
 * @param sheet the name of a sheet of an XLSX file, by default the first one
 * @throws if the file or its headings are invalid
 */
export async function readSpreadsheet(
  bytes: Uint8Array,
  sheet?: string,
): Promise<SpreadsheetRow[]> {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  if (head.includes('opendocument') || head.startsWith('\xd0\xcf\x11\xe0'))
    throw new Error('este formato (ODS ou XLS) não é lido: salve a planilha como XLSX ou CSV')
  const lines = startsWith(bytes, 'PK') ? await readXlsx(bytes, sheet) : readCsv(decode(bytes))
  const headings = findHeadings(lines)
  if (!headings) throw new Error('o arquivo está vazio')
  const columns = parseHeadings(headings.cells)
  const rows = lines.slice(lines.indexOf(headings) + 1).filter(({ cells }) => !cells.every(isBlank))
  return rows.map(({ line, cells }) => {
    const width = columns.findLastIndex(Boolean) + 1
    const isMisplaced = cells.some((cell, at) => !columns[at] && !isBlank(cell))
    if (cells.length < width || isMisplaced)
      return { line, cells: {}, problem: `${cells.length} células, mas os títulos são ${width}` }
    const named = columns.flatMap((column, at) =>
      column ? [[column, unescapeFormula(cells[at] ?? '')]] : [],
    )
    return { line, cells: Object.fromEntries(named.filter(([, cell = '']) => !isBlank(cell))) }
  })
}

/** How many columns a line names. */
const rankOf = (line?: Line) => new Set(line?.cells.map(columnOf).filter(Boolean)).size

/** The first lines' best candidate for headings. */
function findHeadings(lines: Line[]): Line | undefined {
  const candidates = lines.filter(({ cells }) => !cells.every(isBlank)).slice(0, MAX_TITLE_LINES)
  return candidates.sort((one, other) => rankOf(other) - rankOf(one))[0]
}

/** UTF-8, or else the encoding of a Brazilian Windows; a byte order mark decides, and is removed. */
function decode(bytes: Uint8Array): string {
  if (startsWith(bytes, '\xff\xfe')) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Reads CSV by the delimiter that gives the most headings. */
function readCsv(text: string): Line[] {
  const read = (delimiter: string, options = {}): Line[] => {
    const records: unknown = parse(text.replace(/\r\n?/g, '\n'), { ...CSV, delimiter, ...options })
    return (records as { record: string[]; info: { lines: number } }[]).map(
      ({ record: cells, info }) => {
        return { line: info.lines - (cells.join('').match(/\n/g)?.length ?? 0), cells }
      },
    )
  }
  const tolerant = { to: MAX_TITLE_LINES, relax_quotes: true, skip_records_with_error: true }
  const ranks = DELIMITERS.map((delimiter) => rankOf(findHeadings(read(delimiter, tolerant))))
  const delimiter = DELIMITERS[ranks.indexOf(Math.max(...ranks))] ?? ';'
  try {
    return read(delimiter)
  } catch (error) {
    const { lines, code } = error as CsvError & { lines?: number }
    const reason = code === 'CSV_QUOTE_NOT_CLOSED' ? 'aspas sem fim' : 'aspas fora do lugar'
    throw new Error(`o CSV é inválido na linha ${lines}: ${reason}`)
  }
}

async function readXlsx(bytes: Uint8Array, sheet?: string): Promise<Line[]> {
  try {
    const rows = await readSheet(Buffer.from(bytes), sheet)
    return rows.map((cells, at) => ({
      line: at + 1,
      cells: cells.map((cell) => String(cell ?? '')),
    }))
  } catch (error) {
    if (error instanceof SheetNotFoundError)
      throw new Error(`não há planilha "${sheet}" no arquivo`)
    throw new Error('o arquivo não é uma planilha XLSX que se possa ler')
  }
}
