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
    try {
      return writeFileSync('/dev/stdout', csv) // opens the file anew, and so empties it
    } catch (error) {
      throw unwritable(error)
    }
  }
  process.stdout.once('error', (error) => {
    console.error(`Não foi possível exportar: ${unwritable(error).message}`)
    process.exitCode = 1
  })
  process.stdout.write(csv)
}

function unwritable(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  return new Error(`a saída não pode ser escrita (${code})`)
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
