import { fstatSync, readFileSync, writeFileSync } from 'node:fs'
import { escapeFormula } from './formulas.ts'

/** What npm prints before a command, unless it is told to be silent. */
const NPM_BANNER = /^\n> \S+ informers:\w+\n> .*\n\n$/

/** CSV for a spreadsheet program in Portuguese: with semicolons, and a byte order mark, which tells UTF-8. */
export function toCsv(rows: string[][]): string {
  const toCell = (text: string) => `"${escapeFormula(text).replaceAll('"', '""')}"`
  const lines = rows.map((cells) => `${cells.map(toCell).join(';')}\r\n`)
  return `\uFEFF${lines.join('')}`
}

/** Prints CSV. */
export function printCsv(csv: string): void {
  if (isBehindBanner()) {
    writeFileSync('/dev/stdout', csv) // opens the file anew, and so empties it
    return
  }
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    console.error(`Não foi possível exportar: a saída não pode ser escrita (${error.code})`)
    process.exitCode = 1
  })
  process.stdout.write(csv)
}

/** Whether standard output is a file that has only the banner; false where the system does not tell. */
function isBehindBanner(): boolean {
  try {
    return fstatSync(1).isFile() && NPM_BANNER.test(readFileSync('/dev/stdout', 'utf8'))
  } catch {
    return false
  }
}
