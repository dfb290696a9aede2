import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { commandLine } from './lib/command-line.ts'
import { withDatabase } from './lib/database.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import { DocumentError, parseDocument, parseJson } from './provisioning/document.ts'
import { rowsOf } from './provisioning/rows.ts'

const USAGE = `Usage: npm run provision -- FILE [--remote] [--dry-run]
Applies a JSON document to the local database, or with --remote to the deployed one. It may be repeated.
--dry-run reports what would change, and writes nothing.`

try {
  await provision()
} catch (error) {
  const isWrong = error instanceof DocumentError
  console.error(isWrong ? 'The document is wrong, nothing was changed:' : 'Cannot provision:')
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function provision(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = commandLine({ remote: flag, 'dry-run': flag }, USAGE)
  if (values.help) return console.log(USAGE)
  const [file] = positionals
  if (!file || positionals.length > 1) throw new Error(USAGE)
  const content = parseJson(readFileSync(resolve(process.env.INIT_CWD ?? '.', file), 'utf8'))
  if (values.remote) rejectDemoPassword(content)
  const dryRun = values['dry-run']
  const report = await withDatabase(values.remote, (database) => applyDocument(database, content, { dryRun }))
  printReport(report)
  if (dryRun) console.log('This was a dry run: nothing was written.')
}

/** The README publishes it: nobody may log in with it where the data is real. */
function rejectDemoPassword(content: unknown): void {
  const { people } = rowsOf(parseDocument(content).document)
  const published = people.filter(({ password }) => password === DEMO_PASSWORD)
  const problems = published.map(({ path }) => `${path}.password: is the published password of the demo data`)
  if (problems.length > 0) throw new DocumentError(problems)
}

/** Prints a line for each table that the document names rows of. */
function printReport(report: Report): void {
  const line = (cells: (string | number)[]) => cells.map((cell) => String(cell).padStart(9)).join('  ')
  const tables = Object.entries(report).filter(([, counts]) =>
    Object.values(counts).some((count) => count > 0),
  )
  console.log(
    tables.length === 0
      ? 'The document is empty.'
      : `${line(['added', 'changed', 'removed', 'unchanged'])}  table`,
  )
  for (const [table, { added, changed, removed, unchanged }] of tables)
    console.log(`${line([added, changed, removed, unchanged])}  ${table}`)
}
