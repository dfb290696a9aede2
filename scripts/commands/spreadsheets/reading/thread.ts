import { isUtf8 } from 'node:buffer'
import { parentPort, workerData } from 'node:worker_threads'
import { type CellObject, read, utils, type WorkBook, type WorkSheet } from '@e965/xlsx'
import { readCsv, unescapeFormula } from '../csv.ts'
import { addRow, DATE, isErrorText, NO_VALUE, type Row } from './cells.ts'
import type { FileRows } from './file.ts'

const COMPOUND_FILE = '\xd0\xcf\x11\xe0' // XLS, or an encrypted XLSX
/** In an XLS newer than Excel 95: before, texts are in one code page, which the library ignores. */
const NEWER_STREAM = Buffer.from('Workbook', 'utf16le')
const OPEN_DOCUMENT = 'opendocument'
/** Other systems name it `.xls`, also in one file with its pictures (MHTML). */
const WEB_PAGE =
  /^\s*(mime-version:|(<\?xml[^>]*>\s*)?<(!doctype html|!--|html|head|meta|style|body|table|div))/i

const EXCEL_2003_XML = /^\s*<\?xml[^>]*>\s*<(\?mso-application|(\w+:)?workbook)\b/i
/** Every other byte of Latin letters in UTF-16. */
const UTF_16 = /^(([^\0]\0){4}|(\0[^\0]){4})/

/** @throws {Error} if the file is not a spreadsheet, or larger than the import allows */
function parse(bytes: Uint8Array, sheet?: string): FileRows {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const isZip = head.startsWith('PK')
  if (head.startsWith('%PDF')) {
    throw new Error('o arquivo é um PDF: salve a planilha como XLSX ou CSV')
  }
  if (isZip && head.includes(OPEN_DOCUMENT)) {
    // the library does not know which sheets of an ODS are hidden
    throw new Error('o arquivo é um ODS: salve a planilha como XLSX ou CSV')
  }
  if (isZip || head.startsWith(COMPOUND_FILE)) {
    const isExcel95 = !isZip && !Buffer.from(bytes.buffer).includes(NEWER_STREAM)
    return { ...readWorkbook(bytes, isExcel95, sheet), isWindows1252: isExcel95 }
  }

  const { text, isWindows1252 } = decode(bytes)
  if (WEB_PAGE.test(text)) {
    throw new Error('o arquivo é uma página da web: salve como XLSX')
  }
  if (EXCEL_2003_XML.test(text)) {
    throw new Error('o arquivo é uma planilha XML de 2003: salve como XLSX')
  }
  return { rows: readCsv(text), isWindows1252, otherSheets: [] }
}

/** The text of a file, and whether its encoding lacks letters that names have. */
type Decoded = { text: string; isWindows1252: boolean }

/**
 * Decodes UTF-16 with its mark, UTF-8, or the encoding of a Brazilian Windows.
 * @throws {Error} if the file is not text
 */
function decode(bytes: Uint8Array): Decoded {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes)
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes)
  if (UTF_16.test(Buffer.from(bytes.subarray(0, 8)).toString('latin1'))) {
    throw new Error(
      'o arquivo está em outra codificação (UTF-16 sem marca): ' +
        'salve a planilha como XLSX ou como CSV UTF-8',
    )
  }
  if (bytes.includes(0)) throw new Error('o arquivo não é uma planilha')

  if (isUtf8(bytes)) return decodeAs('utf-8', bytes)
  return { ...decodeAs('windows-1252', bytes), isWindows1252: true }
}

function decodeAs(encoding: string, bytes: Uint8Array): Decoded {
  return { text: new TextDecoder(encoding).decode(bytes), isWindows1252: false }
}

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
function readWorkbook(bytes: Uint8Array, isExcel95: boolean, name?: string) {
  const workbook = parseWorkbook(bytes)
  const visible = workbook.SheetNames.filter((_, at) => isVisible(workbook, at))
  if (visible.length === 0) {
    throw new Error(
      'o arquivo não tem planilha visível: reexiba a que deve ser importada',
    )
  }

  const wanted = name ?? visible[0] ?? ''
  if (!visible.includes(wanted)) throw new Error(`não há planilha "${wanted}" no arquivo`)

  const rows = toRows(workbook.Sheets[wanted])
  if (isExcel95) for (const row of rows) row.cells = row.cells.map(decodeWindows1252)
  const otherSheets = visible.filter(
    (other) => other !== wanted && !isEmpty(workbook.Sheets[other]),
  )
  return { rows, otherSheets }
}

const decodeWindows1252 = (text: string) =>
  new TextDecoder('windows-1252').decode(Buffer.from(text, 'latin1'))

function parseWorkbook(bytes: Uint8Array): WorkBook {
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

const { bytes, sheet } = workerData as { bytes: Uint8Array; sheet?: string }
parentPort?.postMessage(parse(bytes, sheet))
