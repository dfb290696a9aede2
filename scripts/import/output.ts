import { fstatSync, readFileSync, writeFileSync } from 'node:fs'

/** What npm prints before a command, unless it is told to be silent. */
const NPM_BANNER = /^\n> \S+ informers:\w+\n> .*\n\n$/

/** Writes CSV to standard output, in UTF-8 with a byte order mark, by which spreadsheet programs know it. */
export function writeCsv(csv: string): void {
  const text = `\uFEFF${csv}`
  if (isBehindBanner()) writeFileSync('/dev/stdout', text) // opens the file anew, and so empties it
  else process.stdout.write(text)
}

/** Whether standard output is a file that has only the banner; false where the system does not tell. */
function isBehindBanner(): boolean {
  try {
    return fstatSync(1).isFile() && NPM_BANNER.test(readFileSync('/dev/stdout', 'utf8'))
  } catch {
    return false
  }
}
