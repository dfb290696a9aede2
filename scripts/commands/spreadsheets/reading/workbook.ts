import { type CellObject, read, utils, type WorkBook, type WorkSheet } from '@e965/xlsx'
import { unescapeFormula } from '../csv.ts'
import { addRow, DATE, isErrorText, NO_VALUE, type Row } from './cells.ts'
import type { FileRows } from './file.ts'

/** Keeps formulas without a value as stubs, and dates distinct from numbers. */
const OPTIONS = {
  type: 'buffer',
  dense: true,
  sheetStubs: true,
  cellDates: true,
  cellText: false,
  cellHTML: false,
} as const

/** Stands for an error without a text, or with one that the library does not know. */
const UNKNOWN_ERROR = '#VALOR!'

/**
 * Reads a sheet of an XLSX or XLS file, by default the first visible one.
 * @throws {Error} if there is no such sheet, or if it is larger than the import allows
 */
export function readWorkbook(bytes: Uint8Array, name?: string): FileRows {
  const workbook = parse(bytes)
  const visible = workbook.SheetNames.filter((_, at) => isVisible(workbook, at))
  const wanted = name ?? visible[0] ?? ''
  if (!visible.includes(wanted)) throw new Error(`não há planilha "${wanted}" no arquivo`)

  const rows = toRows(workbook.Sheets[wanted])
  const otherSheets = visible.filter(
    (other) => other !== wanted && !isEmpty(workbook.Sheets[other]),
  )
  if (!isExcel95(bytes)) return { rows, isWindows1252: false, otherSheets }

  const decoded = rows.map((row) => ({ ...row, cells: row.cells.map(decodeWindows1252) }))
  return { rows: decoded, isWindows1252: true, otherSheets }
}

const COMPOUND_FILE = 0xd0
/** The stream of newer files, whose texts are in Unicode. */
const NEWER_STREAM = Buffer.from('Workbook', 'utf16le')

/** Returns whether texts are in one code page, which the library does not decode. */
const isExcel95 = (bytes: Uint8Array) =>
  bytes[0] === COMPOUND_FILE && !Buffer.from(bytes.buffer).includes(NEWER_STREAM)

const decodeWindows1252 = (text: string) =>
  new TextDecoder('windows-1252').decode(Buffer.from(text, 'latin1'))

function parse(bytes: Uint8Array): WorkBook {
  try {
    return read(bytes, OPTIONS)
  } catch (error) {
    if ((error as Error).message.includes('password-protected')) {
      throw new Error('a planilha está protegida por senha: salve-a sem senha')
    }
    throw new Error('o arquivo não é uma planilha XLSX legível')
  }
}

/** Returns whether a sheet has cells and is not hidden. */
function isVisible({ SheetNames, Sheets, Workbook }: WorkBook, at: number): boolean {
  const isChart = Sheets[SheetNames[at] ?? '']?.['!type'] === 'chart'
  return !isChart && !Workbook?.Sheets?.[at]?.Hidden
}

function isEmpty(sheet?: WorkSheet): boolean {
  const cells = Object.values(sheet?.['!data'] ?? []).flat()
  return cells.every((cell) => toText(cell).trim() === '')
}

function toRows(sheet?: WorkSheet): Row[] {
  const rows: Row[] = []
  // a sparse array: the last row may be the millionth
  for (const [at, cells] of Object.entries(sheet?.['!data'] ?? [])) {
    addRow(rows, { number: Number(at) + 1, cells: Array.from(cells, toText) })
  }
  fillMergedCells(rows, sheet?.['!merges'] ?? [])
  return rows
}

function toText(cell?: CellObject): string {
  if (!cell) return ''

  switch (cell.t) {
    case 'z':
      return cell.f ? NO_VALUE : ''
    case 'd':
      return DATE
    case 'e':
      return toErrorText(utils.format_cell(cell))
    case 'b':
      return cell.v ? 'VERDADEIRO' : 'FALSO'
    default:
      return unescapeFormula(String(cell.v))
  }
}

/** Returns a text that is refused, whatever the error. */
function toErrorText(text: string): string {
  return isErrorText(text) ? text : UNKNOWN_ERROR
}

/** Copies the value of merged cells to all their rows that have other cells. */
function fillMergedCells(rows: Row[], merges: NonNullable<WorkSheet['!merges']>): void {
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  const lastNumber = rows.at(-1)?.number ?? 0
  for (const { s: start, e: end } of merges) {
    const value = byNumber.get(start.r + 1)?.cells[start.c] ?? ''
    const last = Math.min(end.r + 1, lastNumber)
    for (let number = start.r + 2; number <= last; number += 1) {
      const cells = byNumber.get(number)?.cells ?? []
      while (cells.length < start.c) cells.push('')
      cells[start.c] = value
    }
  }
}
