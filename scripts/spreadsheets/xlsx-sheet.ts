import { type Cell, CellFault, errorCell, isBlank, type Row } from './cells.ts'
import { checkPlace, MAX_COLUMNS } from './limits.ts'
import { fillMergedCells, type MergedRange } from './merged-cells.ts'
import type { Attribute, XmlHandlers } from './xml.ts'

type Workbook = {
  /** The texts that cells refer to by number. */
  texts: string[]
  /** Whether a cell style shows dates. */
  isDate: (style: string) => boolean
}

/** A cell that is being read. */
type OpenCell = {
  type: string
  style: string
  row: number
  column: number
  hasFormula: boolean
  value?: string
}

/** Collects the rows of a sheet that have a text (ECMA-376, part 1, 18.3). */
export function sheetReader(workbook: Workbook) {
  const rows: Row[] = []
  const merged: MergedRange[] = []
  let row = 0
  let column = -1
  let cell: OpenCell | undefined
  let isValue = false
  let isPronunciation = false

  const handlers: XmlHandlers = {
    open(element, attribute) {
      if (element === 'row') {
        row = Number(attribute('r') ?? row + 1)
        column = -1
      } else if (element === 'c') {
        const place = parseReference(attribute('r'))
        row = place?.row ?? row
        column = place?.column ?? column + 1
        cell = openCell(attribute, row, column)
      } else if (element === 'mergeCell') {
        merged.push(...toMergedRange(attribute('ref')))
      } else if (cell) {
        if (element === 'f') cell.hasFormula = true
        if (element === 'rPh') isPronunciation = true
        isValue = element === 'v' || (element === 't' && !isPronunciation)
        if (isValue) cell.value ??= ''
      }
    },
    text(part) {
      if (cell && isValue) cell.value += part
    },
    close(element) {
      isValue = false
      if (element === 'rPh') isPronunciation = false
      if (element !== 'c' || !cell) return

      addCell(rows, cell, toCell(cell, workbook))
      cell = undefined
    },
  }
  return { handlers, result: () => fillMergedCells(rows, merged) }
}

function openCell(attribute: Attribute, row: number, column: number): OpenCell {
  return {
    type: attribute('t') ?? 'n',
    style: attribute('s') ?? '',
    row,
    column,
    hasFormula: false,
  }
}

function addCell(rows: Row[], { row: number, column }: OpenCell, cell: Cell): void {
  if (isBlank(cell)) return
  checkPlace(number, column)

  let row = rows.at(-1)
  if (row?.number !== number) {
    row = { number, cells: [] }
    rows.push(row)
  }
  while (row.cells.length < column) row.cells.push('')
  row.cells[column] = cell
}

function toCell(
  { type, style, hasFormula, value }: OpenCell,
  { texts, isDate }: Workbook,
): Cell {
  // a formula may give an empty text, but not an empty number
  if (hasFormula && (value === undefined || (value === '' && type !== 'str')))
    return new CellFault('#N/D', 'a célula tem uma fórmula sem valor')
  if (value === undefined || value === '') return ''

  if (type === 's') return unescapeText(texts[Number(value)] ?? '')
  if (type === 'inlineStr' || type === 'str') return unescapeText(value)
  if (type === 'b') return value === '1' ? 'VERDADEIRO' : 'FALSO'
  if (type === 'e') return errorCell(value)
  if (type === 'd' || isDate(style)) return new CellFault('#N/D', 'a célula tem uma data')
  return Number.isNaN(Number(value)) ? value : String(Number(value))
}

/** Characters that XML does not have are written as `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
const unescapeText = (text: string) =>
  text.replace(/_x([\dA-F]{4})_/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** The place that a reference such as `AB12` names. */
function parseReference(reference = '') {
  const [, letters, digits] = /^([A-Z]{1,3})(\d+)$/.exec(reference) ?? []
  if (letters === undefined) return undefined

  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return { row: Number(digits), column: column - 1 }
}

function toMergedRange(reference = ''): MergedRange[] {
  const [first, last] = reference.split(':').map(parseReference)
  if (!first || !last || first.column >= MAX_COLUMNS) return []
  return [{ column: first.column, firstRow: first.row, lastRow: last.row }]
}
