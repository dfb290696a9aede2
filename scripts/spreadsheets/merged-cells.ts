import type { Cell, Row } from './cells.ts'

/** The rows of a merged range, and its first column, which has the value. */
export type MergedRange = { column: number; firstRow: number; lastRow: number }

/** Gives the value of merged cells to all their rows, where these have anything else. */
export function fillMergedCells(rows: Row[], ranges: MergedRange[]): Row[] {
  for (const [column, ofColumn] of Map.groupBy(ranges, (range) => range.column))
    fillColumn(
      rows,
      column,
      new Map(ofColumn.map((range) => [range.firstRow, range.lastRow])),
    )
  return rows
}

/** @param lastRows of the ranges that begin at a row */
function fillColumn(rows: Row[], column: number, lastRows: Map<number, number>): void {
  let value: Cell = ''
  let lastRow = 0
  for (const row of rows) {
    const begun = lastRows.get(row.number)
    if (begun !== undefined) {
      value = row.cells[column] ?? ''
      lastRow = begun
    } else if (row.number <= lastRow) {
      while (row.cells.length < column) row.cells.push('')
      row.cells[column] = value
    }
  }
}
