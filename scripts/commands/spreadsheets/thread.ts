import { isUtf8 } from 'node:buffer'
import { parentPort, workerData } from 'node:worker_threads'
import { inflateRawSync } from 'node:zlib'
import { type CellObject, CFB, read, utils, type WorkBook } from '@e965/xlsx'
import { type CsvError, parse } from 'csv-parse/sync'
import { COLUMNS } from './columns.ts'
import {
  type Cell,
  MAX_BYTES,
  SAVE_AS,
  type SheetRow,
  TOO_COMPLEX,
  TOO_LARGE,
} from './file.ts'

const MAX_ROWS = 5000
/** Maximum bytes of all parts of an XLSX together, unpacked. */
const MAX_UNPACKED_BYTES = 30_000_000

/** Keeps formulas without a value as stubs, and dates distinct from numbers. */
const OPTIONS = {
  type: 'buffer',
  dense: true,
  sheetStubs: true,
  cellDates: true,
  cellHTML: false,
} as const

/** UTF-8 that was encoded twice, such as `JoÃ£o`, with the text around it. */
const ENCODED_TWICE = /.{0,20}[ÃÂ][\u0080-\u009F\u00A1-\u00BF].{0,20}/

const DELIMITERS = [';', ',', '\t']

/** A compound file: an XLS, or an encrypted XLSX. */
const COMPOUND_FILE = '\xd0\xcf\x11\xe0'

/** @throws {Error} if the file is not an XLSX or CSV, or larger than the import allows */
function readRows(bytes: Buffer): SheetRow[] {
  const head = bytes.toString('latin1', 0, 4)
  if (head === '%PDF') throw new Error(`o arquivo é um PDF: ${SAVE_AS}`)
  if (head.startsWith('PK') || head === COMPOUND_FILE) return readXlsx(bytes)

  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw new Error(`o arquivo não é um XLSX, nem um CSV em UTF-8: ${SAVE_AS}`)
  }
  const text = new TextDecoder().decode(bytes)
  const [wrong] = ENCODED_TWICE.exec(text) ?? []
  if (wrong) throw new Error(`"${wrong}" está em outra codificação: ${SAVE_AS}`)
  return readCsv(text)
}

function readCsv(text: string): SheetRow[] {
  const [firstLine = ''] = text.trimStart().split(/[\r\n]/, 1)
  const [delimiter = ';'] = DELIMITERS.toSorted(
    (one, other) => firstLine.split(other).length - firstLine.split(one).length,
  )
  const { rows, add } = rowCollector()
  let line = 0
  const onRecord = (record: string[]) => {
    line += 1
    add(
      line,
      record.map((cell, at) => ({ at, text: cell })),
    )
    return null // the parser keeps nothing
  }
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: onRecord,
    })
  } catch (error) {
    if (!(error as CsvError).code?.includes('QUOTE')) throw error
    throw new Error(`as aspas da linha ${line + 1} do CSV não fecham: ${SAVE_AS}`)
  }
  return rows
}

/** Reads the first visible sheet. */
function readXlsx(bytes: Buffer): SheetRow[] {
  const { SheetNames, Sheets, Workbook } = parseWorkbook(bytes)
  const name = SheetNames.find((_, at) => !Workbook?.Sheets?.[at]?.Hidden)
  const sheet = Sheets[name ?? '']
  if (!sheet) throw new Error('o arquivo não tem planilha visível: reexiba a das pessoas')

  const [merged] = sheet['!merges'] ?? []
  if (merged) {
    const range = utils.encode_range(merged)
    throw new Error(
      `as células ${range} estão mescladas: desfaça a mesclagem, e ${SAVE_AS}`,
    )
  }
  const { rows, add } = rowCollector()
  // sparse arrays: the last row may be the millionth
  for (const [at, cells] of Object.entries(sheet['!data'] ?? [])) {
    add(
      Number(at) + 1,
      Object.entries(cells).map(([column, cell]) => toCell(Number(column), cell)),
    )
  }
  return rows
}

function parseWorkbook(bytes: Buffer): WorkBook {
  let workbook: WorkBook
  try {
    limitUnpacking()
    workbook = read(bytes, OPTIONS)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Error(TOO_COMPLEX)
    if (message.includes('password')) {
      throw new Error(`a planilha está protegida por senha: tire a senha, e ${SAVE_AS}`)
    }
    throw new Error(`o arquivo não é um XLSX legível: ${SAVE_AS}`)
  }
  const { bookType = 'xls' } = workbook
  if (bookType === 'xlsx') return workbook
  throw new Error(`o arquivo é um ${bookType.toUpperCase()}: ${SAVE_AS}`)
}

/** Makes the library refuse archives that unpack to more than the maximum. */
function limitUnpacking(): void {
  let left = MAX_UNPACKED_BYTES
  class InflateRaw {
    bytesRead = 0
    _processChunk(packed: Uint8Array): Buffer {
      const options = { info: true, maxOutputLength: left } as const
      const { buffer, engine } = inflateRawSync(packed, options) as unknown as {
        buffer: Buffer
        engine: { bytesWritten: number }
      }
      this.bytesRead = engine.bytesWritten
      left -= buffer.length
      return buffer
    }
  }
  CFB.utils.use_zlib({ InflateRaw })
}

/** The faults of stubs, dates and errors. */
const FAULTS: Partial<Record<CellObject['t'], string>> = {
  z: 'a fórmula não tem valor',
  d: 'a célula tem uma data',
  e: 'a célula tem um erro',
}

function toCell(at: number, { t, v, w, f }: CellObject): Cell {
  const fault = FAULTS[t]
  const text = t === 'z' ? f && `=${f}` : fault ? (w ?? v) : v
  const isDecimal = t === 'n' && !Number.isInteger(v)
  return { at, text: String(text ?? ''), fault, isDecimal }
}

/** Collects rows that are not blank. */
function rowCollector() {
  const rows: SheetRow[] = []
  let characters = 0
  const add = (line: number, cells: Cell[]) => {
    const filled = cells.filter(({ text }) => text.trim() !== '')
    if (filled.length === 0) return

    if (rows.length > MAX_ROWS) {
      throw new Error(`a planilha tem mais de 5.000 linhas: divida-a, e ${SAVE_AS}`)
    }
    // many cells may share a long text
    for (const { text } of filled) characters += text.length
    if (characters > MAX_BYTES) throw new Error(TOO_LARGE)
    // one cell more than there are headings refuses a row
    rows.push({ line, cells: filled.slice(0, COLUMNS.length + 1) })
  }
  return { rows, add }
}

const { buffer, byteOffset, length } = workerData as Uint8Array
parentPort?.postMessage(readRows(Buffer.from(buffer, byteOffset, length)))
