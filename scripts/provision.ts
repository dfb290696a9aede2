import { readFileSync } from 'node:fs'
import { commandLine } from './lib/command-line.ts'
import { withDatabase } from './lib/database.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import { applyDocument } from './provisioning/apply.ts'
import { peopleOf } from './provisioning/check.ts'
import { DocumentError, type ProvisioningDocument, parseDocument } from './provisioning/document.ts'

const USAGE = `Usage: npm run provision -- FILE [--remote]
Applies a JSON document to the local database, or with --remote to the deployed one. It may be repeated.`

try {
  await provision()
} catch (error) {
  console.error(
    error instanceof DocumentError ? 'The document is wrong, nothing was changed:' : 'Cannot provision:',
  )
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Applies a provisioning document to the local or the deployed database and tells how many rows that wrote. */
async function provision(): Promise<void> {
  const { values, positionals } = commandLine({ remote: { type: 'boolean', default: false } }, USAGE)
  if (values.help) return console.log(USAGE)
  const [file] = positionals
  if (!file || positionals.length > 1) throw new Error(USAGE)
  const document = parseDocument(readFileSync(file, 'utf8'))
  if (values.remote) refuseDemoPassword(document)
  const written = await withDatabase(values.remote, (database) => applyDocument(database, document))
  const tables = Object.entries(written)
  if (tables.length === 0) console.log('There is nothing in the document: no rows were written.')
  for (const [table, rows] of tables) console.log(`${String(rows).padStart(6)}  ${table}`)
}

/** The README publishes it: nobody may log in with it where the data is real. */
function refuseDemoPassword(document: ProvisioningDocument): void {
  const people = peopleOf(document).filter(({ password }) => password === DEMO_PASSWORD)
  const problems = people.map(({ path }) => `${path}.password: is the demo data's, which everybody knows`)
  if (problems.length > 0) throw new DocumentError(problems)
}
