import { isUtf8 } from 'node:buffer'
import { parentPort, workerData } from 'node:worker_threads'
import { readCsv } from '../csv.ts'
import type { FileRows } from './file.ts'
import { readWorkbook } from './workbook.ts'

const COMPOUND_FILE = '\xd0\xcf\x11\xe0' // XLS, or an encrypted XLSX
const OPEN_DOCUMENT = 'opendocument'
/** Other systems name it `.xls`, also in one file with its pictures (MHTML). */
const WEB_PAGE =
  /^\s*(mime-version:|(<\?xml[^>]*>\s*)?<(!doctype html|!--|html|head|meta|style|body|table|div))/i

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
    return readWorkbook(bytes, sheet)
  }

  const { text, isWindows1252 } = decode(bytes)
  if (WEB_PAGE.test(text)) {
    throw new Error('o arquivo é uma página da web: salve como XLSX')
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
  if (bytes.includes(0)) throw new Error('o arquivo não é uma planilha')

  if (isUtf8(bytes)) return decodeAs('utf-8', bytes)
  return { ...decodeAs('windows-1252', bytes), isWindows1252: true }
}

function decodeAs(encoding: string, bytes: Uint8Array): Decoded {
  return { text: new TextDecoder(encoding).decode(bytes), isWindows1252: false }
}

const { bytes, sheet } = workerData as { bytes: Uint8Array; sheet?: string }
parentPort?.postMessage(parse(bytes, sheet))
