import { createReadStream } from 'node:fs'
import type { Row } from './cells.ts'
import { readCsv } from './csv-input.ts'
import { LimitError, MAX_FILE_BYTES } from './limits.ts'
import { readXlsx } from './xlsx.ts'

/** What stands at a place of all files of a kind, byte by byte: of pictures, and of spreadsheets that are not read. */
const PICTURES: [place: number, mark: string][] = [
  [0, '\x89PNG'],
  [0, '\xff\xd8\xff'],
  [0, 'GIF8'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
  [4, 'ftyp'],
  [8, 'WEBP'],
]
const COMPOUND_FILE = '\xd0\xcf\x11\xe0'

/** An encrypted XLSX is a compound file with this entry (MS-OFFCRYPTO, 2.1). */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/**
 * Reads a file.
 * @throws {LimitError} if it is larger than what is read; then the rest stays unread
 */
export async function readFile(path: string): Promise<Buffer> {
  const pieces = await Array.fromAsync(createReadStream(path, { end: MAX_FILE_BYTES }))
  const bytes = Buffer.concat(pieces)
  if (bytes.length > MAX_FILE_BYTES) throw new LimitError('o arquivo tem mais de 20 MB')
  return bytes
}

/** The rows of a spreadsheet, and whether its encoding has too few letters for some names. */
export type FileRows = { rows: Row[]; isWindows1252: boolean }

/**
 * Reads the rows of a spreadsheet: XLSX, or CSV in UTF-8, UTF-16 or Windows-1252 with commas, semicolons or tabs.
 * @param options.sheet the name of a sheet of an XLSX file, by default the first one
 * @param options.rank how many headings a row has
 * @throws if it is another format, or larger than what is read
 */
export function readRows(
  bytes: Buffer,
  { sheet, rank }: { sheet?: string | undefined; rank: (cells: string[]) => number },
): FileRows {
  refuseOtherFormats(bytes)
  if (bytes.indexOf('PK') === 0) return { rows: readXlsx(bytes, sheet), isWindows1252: false }

  const { text, isWindows1252 } = decode(bytes)
  if (text.includes('\0')) throw new Error('o arquivo não é uma planilha')
  return { rows: readCsv(text, rank), isWindows1252 }
}

function refuseOtherFormats(bytes: Buffer): void {
  const head = bytes.subarray(0, 200).toString('latin1')
  const isCompound = head.startsWith(COMPOUND_FILE)

  if (head.startsWith('%PDF'))
    throw new Error('o arquivo é um PDF: salve a planilha como XLSX ou CSV')
  if (PICTURES.some(([place, mark]) => head.startsWith(mark, place)))
    throw new Error('o arquivo é uma imagem, e não uma planilha')
  if (isCompound && bytes.includes(ENCRYPTED_PACKAGE))
    throw new Error('a planilha está protegida por senha: salve-a sem senha')
  if (isCompound || (head.startsWith('PK') && head.includes('opendocument')))
    throw new Error('este formato (ODS ou XLS) não é lido: salve a planilha como XLSX ou CSV')
}

/** UTF-8, or else the encoding of a Brazilian Windows; a byte order mark decides, and is removed. */
function decode(bytes: Buffer): { text: string; isWindows1252: boolean } {
  const mark = bytes.subarray(0, 2).toString('latin1')
  const utf16 = { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be' }[mark]
  if (utf16) return { text: new TextDecoder(utf16).decode(bytes), isWindows1252: false }

  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes),
      isWindows1252: false,
    }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isWindows1252: true }
  }
}
