import { fstatSync, ftruncateSync, readFileSync, writeSync } from 'node:fs'

/** What npm prints before a command, unless it is told to be silent. */
const NPM_BANNER = /^\n> \S+ informers:\w+\n> .*\n\n$/

/** Writes CSV to standard output, in UTF-8 with a byte order mark, by which spreadsheet programs know it. */
export function writeCsv(text: string): void {
  const isBehindBanner = fstatSync(1).isFile() && NPM_BANNER.test(writtenBefore())
  if (isBehindBanner) ftruncateSync(1, 0)
  const bytes = Buffer.from(`\uFEFF${text}`)
  let position: number | null = isBehindBanner ? 0 : null
  for (let written = 0; written < bytes.length;) {
    const count = writeSync(1, bytes, written, bytes.length - written, position)
    written += count
    if (position !== null) position += count
  }
}

/** What a file that standard output is redirected to holds already; nothing where the system does not tell. */
function writtenBefore(): string {
  try {
    return readFileSync('/proc/self/fd/1', 'utf8')
  } catch {
    return ''
  }
}
