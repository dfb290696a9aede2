import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, relative } from 'node:path'

/** A place in the code of a built Worker, as stacks have it: `index.js:1:2345`. */
const PLACE = /[^\s"(]*\bindex\.js:(\d+):(\d+)/g

/**
 * Returns a function that replaces, in stacks and lines of the log, places in the code of a Worker
 * by those in its sources.
 * @param outDir where the Worker was built
 */
export function sourcePlaces(outDir: string): (text: string) => string {
  const map = new SourceMap(
    JSON.parse(readFileSync(join(outDir, 'index.js.map'), 'utf8')),
  )
  const toSource = (place: string, line: string, column: string) => {
    const origin = map.findOrigin(Number(line), Number(column))
    return 'fileName' in origin
      ? `${relative('.', join(outDir, origin.fileName))}:${origin.lineNumber}:${origin.columnNumber}`
      : place
  }
  return (text) => text.replace(PLACE, toSource)
}
