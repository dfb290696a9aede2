import { createReadStream } from 'node:fs'
import type { Row } from './cells.ts'
import { readCsv } from './csv-input.ts'
import { LimitError, MAX_FILE_BYTES } from './limits.ts'
import { readXlsx } from './xlsx.ts'

/** What a file begins with, byte by byte, that is no spreadsheet, or one that is not read. */
const OTHER_FORMATS: [beginning: RegExp, message: string][] = [
  [/^%PDF/, 'o arquivo é um PDF: salve a planilha como XLSX ou CSV'],
  [
    /^(\x89PNG|\xff\xd8\xff|GIF8|BM[^]{4}\0{4}|II\*\0|MM\0\*|RIFF[^]{4}WEBP|[^]{4}ftyp)/,
    'o arquivo é uma imagem, e não uma planilha',
  ],
  [
    /^(\xd0\xcf\x11\xe0|PK[^]*opendocument)/,
    'este formato (ODS ou XLS) não é lido: salve a planilha como XLSX ou CSV',
  ],
]

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
  if (head.startsWith('\xd0\xcf\x11\xe0') && bytes.includes(ENCRYPTED_PACKAGE))
    throw new Error('a planilha está protegida por senha: salve-a sem senha')

  const [, message] = OTHER_FORMATS.find(([beginning]) => beginning.test(head)) ?? []
  if (message) throw new Error(message)
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
