import { readFileSync } from 'node:fs'
import { resolveFromCallerCwd, runCommand } from './lib/command-line.ts'
import { withDatabase } from './lib/database.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import { DocumentError, parseDocument, parseJson } from './provisioning/document.ts'
import { rowsOf } from './provisioning/rows.ts'

const USAGE = `Usage: npm run provision -- FILE [--remote] [--dry-run]
Applies a JSON document to the local database and reports the changes by table. Safe to repeat.
  --remote   uses the deployed database
  --dry-run  reports the changes but writes nothing`

const options = {
  remote: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const
const command = { verb: 'provision', usage: USAGE, options, arguments: ['FILE'] }

await runCommand(command, async ({ remote, 'dry-run': dryRun }, [file = '']) => {
  const content = parseJson(readFileSync(resolveFromCallerCwd(file), 'utf8'))
  if (remote) rejectDemoPassword(content)
  const report = await withDatabase(remote, (database) => applyDocument(database, content, { dryRun }))
  printReport(report)
  if (dryRun) console.log('This was a dry run: nothing was written.')
})

/** The README publishes this password, so it must not protect real data. */
function rejectDemoPassword(content: unknown): void {
  const { people } = rowsOf(parseDocument(content).document)
  const published = people.filter(({ password }) => password === DEMO_PASSWORD)
  const problems = published.map(({ path }) => `${path}.password: is the published password of the demo data`)
  if (problems.length > 0) throw new DocumentError(problems)
}

/** Prints a line per table with rows in the document. */
function printReport(report: Report): void {
  const print = (table: string, ...cells: unknown[]) =>
    console.log(`${cells.map((cell) => String(cell).padStart(10)).join('')}  ${table}`)
  print('table', 'added', 'changed', 'removed', 'unchanged')
  for (const [table, { added, changed, removed, unchanged }] of Object.entries(report))
    if (added + changed + removed + unchanged > 0) print(table, added, changed, removed, unchanged)
}
