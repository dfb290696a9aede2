import { fstatSync, readFileSync, writeFileSync } from 'node:fs'

/** What npm prints before a command, unless it is told to be silent. */
const NPM_BANNER = /^\n> \S+ informers:\w+\n> .*\n\n$/
/** What a spreadsheet program would run as a formula, also behind apostrophes (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** An apostrophe before what would be a formula. */
const escapeFormula = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell)

/** The cell as it was before `escapeFormula`. */
export const unescapeFormula = (cell: string) =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell

/** Prints CSV for a spreadsheet program in Portuguese: with semicolons, and a byte order mark, which tells UTF-8. */
export function writeCsv(rows: string[][]): void {
  const toCell = (text: string) => `"${escapeFormula(text).replaceAll('"', '""')}"`
  const csv = `\uFEFF${rows.map((cells) => `${cells.map(toCell).join(';')}\r\n`).join('')}`
  if (isBehindBanner()) writeFileSync('/dev/stdout', csv) // opens the file anew, and so empties it
  else process.stdout.write(csv)
}

/** Whether standard output is a file that has only the banner; false where the system does not tell. */
function isBehindBanner(): boolean {
  try {
    return fstatSync(1).isFile() && NPM_BANNER.test(readFileSync('/dev/stdout', 'utf8'))
  } catch {
    return false
  }
}
