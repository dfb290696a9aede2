import { parentPort, workerData } from 'node:worker_threads'
import { readCsv } from './csv-input.ts'
import { decode } from './encoding.ts'
import type { FileRows } from './file.ts'
import { readWorkbook } from './workbook.ts'

const COMPOUND_FILE = '\xd0\xcf\x11\xe0' // XLS, or an encrypted XLSX
const OPEN_DOCUMENT = 'opendocument'

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
    return { ...readWorkbook(bytes, sheet), isWindows1252: false }
  }

  const { text, isWindows1252 } = decode(bytes)
  return { rows: readCsv(text), isWindows1252, otherSheets: [] }
}

const { bytes, sheet } = workerData as { bytes: Uint8Array; sheet?: string }
parentPort?.postMessage(parse(bytes, sheet))
