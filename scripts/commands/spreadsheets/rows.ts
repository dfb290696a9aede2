import { type Column, headingOf, parseHeadings, quote } from './columns.ts'
import { unescapeFormula } from './csv.ts'
import type { SheetRow } from './file.ts'
import { isStreamSafe, withoutFormatCharacters } from '#domain/characters.ts'
import { isCpf } from '#domain/cpf.ts'

/** The cleaned texts of a row by column; blank ones are missing. */
export type Texts = Partial<Record<Column, string>>

/** A row below the headings. */
export type Row = {
  line: number
  texts: Texts
  /** Reasons to refuse the row, and with it its person. */
  problems: string[]
  /** Messages that refuse nothing. */
  notes: string[]
}

/** @throws {Error} if a heading is wrong */
export function toRows([headings, ...rows]: SheetRow[]): Row[] {
  if (!headings) throw new Error('a planilha está vazia')

  const columns = parseHeadings(headings.cells.map(clean))
  return rows
    .map((row) => toRow(row, columns))
    .filter(({ texts, problems }) => Object.keys(texts).length + problems.length > 0)
}

function toRow({ line, cells }: SheetRow, columns: Map<number, Column>): Row {
  const row: Row = { line, texts: {}, problems: [], notes: [] }
  for (const [at, cell] of cells.entries()) {
    if (cell.trim() === '') continue

    const column = columns.get(at)
    if (!column) row.problems.push(`a ${at + 1}ª célula não tem título`)
    else if (column !== 'questionnaire_status') readCell(row, column, cell)
  }
  const isFilled = Object.keys(row.texts).length > 0
  if (isFilled && row.problems.length === 0) row.problems.push(...missingIn(row.texts))
  return row
}

function missingIn({ cpf, email, process, group }: Texts): string[] {
  const missing: string[] = []
  if (cpf === undefined && email === undefined) missing.push('falta o CPF ou o e-mail')
  if (process !== undefined && group === undefined) missing.push('falta o Grupo')
  if (process === undefined && group !== undefined) missing.push('falta o Processo')
  return missing
}

function readCell(row: Row, column: Column, cell: string): void {
  if (column === 'password') {
    row.texts.password = cell
    return
  }
  const text = clean(cell)
  const problem = faultOf(column, text)
  if (problem) {
    row.problems.push(describe(column, text, problem))
    return
  }
  const value = toValue(column, unescapeFormula(text))
  if (value !== '') row.texts[column] = value
  if (column === 'cpf' && value.length > text.length) {
    row.notes.push(describe(column, text, `completado com zeros, ${value}`))
  }
}

/** Cleans a text as the service does. */
function clean(source: string): string {
  const text = withoutFormatCharacters(source).trim()
  return isStreamSafe(text) ? text.normalize('NFC') : text // the schema refuses the other
}

/** A number with decimals, as a text; `5555.0100` is a telephone. */
const DECIMALS = /^(\d{8,}[.,]\d+|\d[\d.,]*[.,]\d{1,2})$/
const EXPONENT = /^\d+([.,]\d+)?E[+-]?\d+$/i

/** Returns the reason to refuse a text that a spreadsheet program has spoilt. */
function faultOf(column: Column, text: string): string | undefined {
  if (text.startsWith('#')) return 'a célula tem um erro'
  if (text.startsWith('=')) return 'a célula tem uma fórmula'
  if (column !== 'cpf' && column !== 'phone') return undefined
  if (DECIMALS.test(text)) return 'o número tem casas decimais'
  if (EXPONENT.test(text)) return 'o número perdeu dígitos'
  return undefined
}

function toValue(column: Column, text: string): string {
  if (column === 'email') return text.toLowerCase()
  return column === 'cpf' ? toCpf(text) : text
}

/** Returns the digits of a CPF, with the zeros that a number lost if these make it valid. */
function toCpf(text: string): string {
  if (/^\d{3}\.\d{3}\.\d{3}-\d\d$/.test(text)) return text.replace(/\D/g, '')

  const completed = text.padStart(11, '0')
  return /^\d{9,10}$/.test(text) && isCpf(completed) ? completed : text
}

/** Describes a problem of a column by its heading and its value, unless that is a password. */
export function describe(column: Column, text: string | undefined, problem: string) {
  const shown = text === undefined || column === 'password' ? '' : ` ${quote(text)}`
  return `${headingOf(column)}${shown}: ${problem}`
}
