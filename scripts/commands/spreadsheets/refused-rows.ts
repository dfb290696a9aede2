import type { Row } from './cells.ts'
import { type Columns, headingOf } from './columns.ts'
import { toCsv } from './csv-output.ts'
import type { Entry } from './entries.ts'
import type { Outcomes } from './importing.ts'
import type { Table, TableRow } from './table.ts'

/** Marks cells that a row lacks, so that it is refused again unless someone fills them in. */
const MISSING = '#N/D'

/**
 * Returns the refused rows unchanged, with their headings and a last column of reasons, ready to be
 * corrected and imported.
 * @returns a CSV; undefined if none was refused
 */
export function toRefusedCsv(
  { headings, columns }: Table,
  entries: Entry[],
  outcomes: Outcomes,
): string | undefined {
  const refused = entries.flatMap((entry) => {
    const { kind, messages } = outcomes.get(entry) ?? {}
    if (kind !== 'refused' || !messages) return []
    return entry.rows.map((row) => ({ ...row, reason: messages.join('; ') }))
  })
  if (refused.length === 0) return undefined

  refused.sort((one, other) => one.line - other.line)

  const places = placesOf(columns, refused)
  const headingCells = places.map((at) => headings[at] ?? '')
  const rows = refused.map(({ source, reason }) => {
    const cells = places.map((at) => textAt(source, at, headings.length))
    return [...cells, reason]
  })
  return toCsv([[...headingCells, headingOf('reason')], ...rows])
}

/** Returns the columns to write: all except the reasons of an earlier import. */
function placesOf(columns: Columns, rows: TableRow[]): number[] {
  const widths = rows.map(({ source }) => source.cells.length)
  const width = Math.max(columns.length, ...widths)
  const all = [...Array(width).keys()]
  return all.filter((at) => columns[at] !== 'reason')
}

/** @param expected how many cells a row should have */
function textAt({ cells, width }: Row, at: number, expected: number): string {
  const isCut = width !== undefined && at >= width
  const isMissing = isCut && at < expected
  return isMissing ? MISSING : (cells[at] ?? '')
}
