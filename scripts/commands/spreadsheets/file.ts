import { isUtf8 } from 'node:buffer'
import { CsvError, type InfoRecord, parse } from 'csv-parse/sync'

/** A row that is not blank. */
export type SheetRow = {
  /** Counted as in spreadsheet programs: from 1, including blank rows. */
  line: number
  cells: string[]
}

const MAX_BYTES = 5_000_000
const MAX_ROWS = 5000

/** Other files, by their first bytes. */
const OTHER_FORMATS: [name: string, head: RegExp][] = [
  ['PDF', /^%PDF/],
  ['XLS', /^\xD0\xCF/],
  ['ODS', /^PK.{28}mimetypeapplication\/vnd\.oasis/s],
  ['XLSX', /^PK/],
]

/** Signs of a file that went through a wrong encoding. */
const DAMAGE: [problem: string, sign: RegExp][] = [
  ['letras perdidas (�)', /\uFFFD/],
  // UTF-8 read as Windows-1252 or ISO-8859-1, such as JosÃ©; not before a no-break space, « and »
  ['acentos trocados', /[ÃÂ][\u0080-\u009F€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ¡-ª¬-º¼-¿]/],
]

const DELIMITERS = [';', ',', '\t']

/** Reads the rows of a CSV in UTF-8. @throws {Error} if it is something else, or too large */
export function parseSpreadsheet(bytes: Buffer): SheetRow[] {
  const head = bytes.toString('latin1', 0, 100)
  const [format] = OTHER_FORMATS.find(([, pattern]) => pattern.test(head)) ?? []
  if (format) throw refusal(`o arquivo é um ${format}`)
  if (bytes.length > MAX_BYTES) throw refusal('mais de 5 MB: divida o arquivo')
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw refusal('o arquivo não é um CSV em UTF-8')
  }

  const rows = parseCsv(bytes.toString())
  if (rows.length > MAX_ROWS + 1) throw refusal('mais de 5.000 linhas: divida-as')
  return rows
}

/** Tells no value, which may be a password. */
const refusal = (problem: string) => new Error(`${problem}; salve como CSV UTF-8`)

function parseCsv(text: string): SheetRow[] {
  const [firstLine = ''] = text.trimStart().split(/[\r\n]/, 1)
  const [delimiter = ';'] = DELIMITERS.toSorted(
    (one, other) => firstLine.split(other).length - firstLine.split(one).length,
  )
  const rows: SheetRow[] = []
  const onRecord = (cells: string[], { records: line }: InfoRecord) => {
    const all = cells.join('\n')
    const [damage] = DAMAGE.find(([, sign]) => sign.test(all)) ?? []
    if (damage) throw refusal(`linha ${line}: ${damage}`)
    if (all.trim() !== '') rows.push({ line, cells })
    return null // the parser keeps nothing
  }
  try {
    parse(text, {
      bom: true,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: onRecord,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw refusal(`linha ${Number(error.records) + 1}: aspas fora do lugar`)
  }
  return rows
}
