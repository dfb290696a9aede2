import { parse } from 'csv-parse/sync'

/** The columns of a spreadsheet of informers. */
const COLUMNS = [
  'first_name',
  'last_name',
  'email',
  'cpf',
  'phone',
  'img_url',
  'password',
  'require_email_verification',
  'treatment_pronoun',
  'category',
  'diocese',
  'process',
  'group',
] as const

export type Column = (typeof COLUMNS)[number]
/** A spreadsheet row and its first line in the file. Blank cells are left out. */
export type SpreadsheetRow = { line: number; cells: Partial<Record<Column, string>>; problem?: string }

/**
 * Parses a spreadsheet of informers: CSV in UTF-8, separated by commas or semicolons, with a header row.
 *
 * @throws if it is invalid
 */
export function parseSpreadsheet(bytes: Uint8Array): { columns: Column[]; rows: SpreadsheetRow[] } {
  const text = decode(bytes).replace(/\r\n?/g, '\n')
  const records = parse(text, {
    delimiter: /^\s*.*;/.test(text) ? ';' : ',',
    record_delimiter: '\n',
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  }) as unknown as { record: string[]; info: { lines: number } }[]
  const [header, ...rest] = records
  if (!header) throw new Error('the file is empty')
  const columns = parseHeader(header.record)
  const rows = rest.filter(({ record }) => !record.every(isBlank))
  return {
    columns,
    rows: rows.map(({ record, info }) => {
      const line = info.lines - (record.join('').match(/\n/g)?.length ?? 0)
      if (record.length < columns.length || !record.slice(columns.length).every(isBlank))
        return { line, cells: {}, problem: `${record.length} cells, but the first row has ${columns.length}` }
      const cells = columns.map((column, at) => [column, record[at] ?? ''] as const)
      return { line, cells: Object.fromEntries(cells.filter(([, cell]) => !isBlank(cell))) }
    }),
  }
}

const isBlank = (cell: string) => cell.trim() === ''

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes) // removes a byte order mark
  } catch {
    throw new Error('the file is not UTF-8; save it as "CSV UTF-8"')
  }
}

function parseHeader(cells: string[]): Column[] {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  while (names.at(-1) === '') names.pop()
  const unknown = names.filter((name) => !COLUMNS.includes(name as Column))
  const repeated = names.filter((name, at) => names.indexOf(name) !== at)
  const problems = [
    ...unknown.map((name) => `column "${name}" is unknown`),
    ...repeated.map((name) => `column "${name}" is repeated`),
    ...(names.includes('first_name') ? [] : ['column "first_name" is missing']),
  ]
  if (problems.length > 0) throw new Error(`${problems.join('; ')}. The columns are ${COLUMNS.join(', ')}`)
  return names as Column[]
}
