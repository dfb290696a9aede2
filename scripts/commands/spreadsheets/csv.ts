import { printable } from '../../lib/command-line.ts'

/** Tells a spreadsheet program that this is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * A text that a spreadsheet program would run (OWASP, CSV Injection), or that looks like an error of
 * one, also after apostrophes.
 */
const FORMULA = /^'*[#=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/

/** Returns a CSV for spreadsheet programs in Portuguese, which separate cells by semicolons. */
export function toCsv(rows: string[][]): string {
  const lines = rows.map((cells) => `${cells.map(toCell).join(';')}\r\n`)
  return BYTE_ORDER_MARK + lines.join('')
}

/** Puts an apostrophe before a text that would be a formula. */
function toCell(source: string): string {
  const text = printable(source).trim()
  const escaped = FORMULA.test(text) ? `'${text}` : text
  return `"${escaped.replaceAll('"', '""')}"`
}

/** Returns a text as it was before `toCsv`. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

/** Prints a CSV to standard output, which may be a closed pipe, or a file on a full disk. */
export function printCsv(csv: string): void {
  process.stdout.once('error', ({ code }: NodeJS.ErrnoException) => {
    console.error(`Não foi possível exportar: a saída não pode ser escrita (${code})`)
    process.exitCode = 1
  })
  process.stdout.write(csv)
}
