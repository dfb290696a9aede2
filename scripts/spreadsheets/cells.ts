/** What a cell shows when it has no value to take, such as `#N/A`. */
export class CellFault {
  readonly shown: string
  readonly reason: string

  constructor(shown: string, reason: string) {
    this.shown = shown
    this.reason = reason
  }
}

/** A cell has a text, or no value that could be taken. */
export type Cell = string | CellFault

/** A row that is not blank. Cells that the file leaves out at its end are missing. */
export type Row = {
  /** As spreadsheet programs count: from 1, blank rows too. */
  number: number
  cells: Cell[]
  /** How many cells a row of a CSV has. */
  width?: number
}

/**
 * Errors of spreadsheet programs in Portuguese and English; LibreOffice numbers some of its own.
 */
const ERROR =
  /^(#N\/[AD]|#VALOR!|#VALUE!|#REF!|#NOME\?|#NAME\?|#DIV\/0!|#N[UÚ]M!|#NULL!|#NULO!|Err:\d{3})$/i

export function errorCell(shown: string): CellFault {
  return new CellFault(shown, `a célula tem um erro (${shown})`)
}

export function textOf(cell: Cell | undefined): string {
  if (cell instanceof CellFault) return cell.shown
  return cell ?? ''
}

export function isBlank(cell: Cell | undefined): boolean {
  return textOf(cell).trim() === ''
}

/** What is wrong with a cell, also with the text that a CSV has of an error. */
export function faultOf(cell: Cell | undefined): CellFault | undefined {
  if (cell instanceof CellFault) return cell

  const text = (cell ?? '').trim()
  return ERROR.test(text) ? errorCell(text) : undefined
}
