import { createReadStream } from 'node:fs'
import type { Row } from './cells.ts'
import { readCsv } from './csv-input.ts'
import { decode } from './encoding.ts'
import { refuseOtherFormats } from './formats.ts'
import { LimitError, MAX_FILE_BYTES } from './limits.ts'
import { readXlsx } from './xlsx.ts'

/** The rows of a spreadsheet, and whether its encoding has too few letters for some names. */
export type FileRows = {
  rows: Row[]
  isWindows1252: boolean
}

type Options = {
  /** The name of a sheet of an XLSX file, by default the first one. */
  sheet?: string | undefined
  /** How many headings a row has. */
  rank: (cells: string[]) => number
}

/**
 * Reads a file.
 * @throws {LimitError} if it is larger than what is read; then the rest stays unread
 */
export async function readFile(path: string): Promise<Buffer> {
  const stream = createReadStream(path, { end: MAX_FILE_BYTES })
  const bytes = Buffer.concat(await Array.fromAsync(stream))
  if (bytes.length > MAX_FILE_BYTES) {
    throw new LimitError('o arquivo tem mais de 20 MB')
  }
  return bytes
}

/**
 * Reads the rows of a spreadsheet: XLSX, or CSV with commas, semicolons or tabs in UTF-8, UTF-16 or
 * Windows-1252.
 * @throws if it is another format, or larger than what is read
 */
export function readRows(bytes: Buffer, { sheet, rank }: Options): FileRows {
  refuseOtherFormats(bytes)
  if (bytes.indexOf('PK') === 0) {
    return { rows: readXlsx(bytes, sheet), isWindows1252: false }
  }

  const { text, isWindows1252 } = decode(bytes)
  if (text.includes('\0')) {
    throw new Error('o arquivo não é uma planilha')
  }
  return { rows: readCsv(text, rank), isWindows1252 }
}
