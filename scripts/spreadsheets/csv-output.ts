import { fstatSync, readFileSync, writeFileSync } from 'node:fs'
import { escapeFormula } from './formulas.ts'

/** What npm prints before a command, unless it is told to be silent. */
const NPM_BANNER = /^\n> \S+ informers:\w+\n> .*\n\n$/

/** Tells a spreadsheet program that this is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** CSV for a spreadsheet program in Portuguese, which separates cells by semicolons. */
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

/** Prints CSV, in the place of what npm printed before. */
export function printCsv(csv: string): void {
  if (isBehindBanner()) {
    writeFileSync('/dev/stdout', csv) // opens the file anew, and so empties it
    return
  }
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    const reason = `a saída não pode ser escrita (${error.code})`
    console.error(`Não foi possível exportar: ${reason}`)
    process.exitCode = 1
  })
  process.stdout.write(csv)
}

/** Whether standard output is a file that has only the banner. */
function isBehindBanner(): boolean {
  try {
    if (!fstatSync(1).isFile()) return false

    const printed = readFileSync('/dev/stdout', 'utf8')
    return NPM_BANNER.test(printed)
  } catch {
    return false // not every system has that file
  }
}
