import { type Row, textOf } from './cells.ts'
import { headingOf } from './columns.ts'
import { toCsv } from './csv-output.ts'
import type { Entry } from './entries.ts'
import type { Outcomes } from './importing.ts'
import type { Table } from './table.ts'

/** In the place of cells that a row does not have: so it is refused again, unless somebody fills them in. */
const MISSING = '#N/D'

/**
 * The refused rows as they were, with their headings and a last column of reasons, ready to be corrected and imported.
 * @returns a CSV; undefined where none was refused
 */
export function toRefusedCsv(
  { headings, columns }: Table,
  entries: Entry[],
  outcomes: Outcomes,
): string | undefined {
  const refused = entries
    .filter((entry) => outcomes.get(entry)?.kind === 'refused')
    .flatMap((entry) => entry.rows.map((row) => ({ row, outcome: outcomes.get(entry) })))
    .sort((one, other) => one.row.line - other.row.line)
  if (refused.length === 0) return undefined

  const widths = refused.map(({ row }) => row.source.cells.length)
  const places = [...Array(Math.max(headings.length, ...widths)).keys()].filter(
    (at) => columns[at] !== 'reason', // that of an earlier import
  )
  return toCsv([
    [...places.map((at) => headings[at] ?? ''), headingOf('reason')],
    ...refused.map(({ row, outcome }) => [
      ...places.map((at) => textAt(row.source, at)),
      outcome?.messages.join('; ') ?? '',
    ]),
  ])
}

function textAt({ cells, width = Number.POSITIVE_INFINITY }: Row, at: number): string {
  return at < width ? textOf(cells[at]) : MISSING
}
