import { readFileSync } from 'node:fs'
import { applyMigrations, DEFAULT_STATE_DIR, withLocalDatabase } from './local-server.ts'
import { applyDocument } from './provisioning/apply.ts'
import { DocumentError, parseDocument } from './provisioning/document.ts'

const USAGE = 'Usage: npm run provision -- FILE'

const files = process.argv.slice(2)
try {
  await provision()
} catch (error) {
  console.error(
    error instanceof DocumentError ? `${files[0]} is wrong, nothing was changed:` : 'Cannot provision:',
  )
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Applies a provisioning document to the local database and tells how many rows that wrote. */
async function provision(): Promise<void> {
  const [file] = files
  if (!file || files.length > 1 || file.startsWith('-')) throw new Error(USAGE)
  const document = parseDocument(readFileSync(file, 'utf8'))
  const stateDir = process.env.STATE_DIR || DEFAULT_STATE_DIR
  await applyMigrations(stateDir)
  const written = await withLocalDatabase(stateDir, (database) => applyDocument(database, document))
  for (const [table, rows] of Object.entries(written)) console.log(`${String(rows).padStart(6)}  ${table}`)
}
