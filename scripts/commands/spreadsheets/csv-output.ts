import { escapeFormula } from './formulas.ts'

/** Tells a spreadsheet program that this is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Returns CSV for spreadsheet programs in Portuguese, which separate cells by semicolons. */
export function toCsv(rows: string[][]): string {
  const lines = rows.map((cells) => {
    const line = cells.map(toCell).join(';')
    return `${line}\r\n`
  })
  return BYTE_ORDER_MARK + lines.join('')
}

function toCell(text: string): string {
  const escaped = escapeFormula(text).replaceAll('"', '""')
  return `"${escaped}"`
}

/** Prints CSV to standard output, which may be a file on a full disk. */
export function printCsv(csv: string): void {
  process.stdout.once('error', ({ code }: NodeJS.ErrnoException) => {
    console.error(`Não foi possível exportar: a saída não pode ser escrita (${code})`)
    process.exitCode = 1
  })
  process.stdout.write(csv)
}
