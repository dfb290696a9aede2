import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Runs assets.ts, unless its sources are those of the last run.

const SOURCES = [
  'src/**',
  'scripts/build/**',
  'scripts/lib/common-passwords.ts',
  'package.json',
  'package-lock.json', // Swagger UI and the common passwords
]
const MARK = join('src', 'generated', 'sources.sha256')

const digest = digestOfSources()
if (!existsSync(MARK) || readFileSync(MARK, 'utf8') !== digest) {
  await import('./assets.ts')
  writeFileSync(MARK, digest)
}

function digestOfSources(): string {
  const hash = createHash('sha256')
  const files = globSync(SOURCES, { exclude: ['src/generated'] }).toSorted()
  for (const file of files.filter((path) => statSync(path).isFile())) {
    hash.update(`${file}\n`).update(readFileSync(file))
  }
  return hash.digest('hex')
}
