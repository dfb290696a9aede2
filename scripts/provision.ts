import { readFileSync } from 'node:fs'
import { callerPath, runCommand } from './lib/command-line.ts'
import { withDatabase } from './lib/database.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import { drawProgress } from './lib/progress.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import { DocumentError, parseDocument, parseJson } from './provisioning/document.ts'
import { rowsOf } from './provisioning/rows.ts'

const USAGE = `Usage: npm run provision -- FILE [--remote] [--dry-run]
Applies a JSON document to the local database, and reports by table what that changes. It may be repeated.
  --remote   applies it to the deployed database
  --dry-run  reports the same and writes nothing`

const options = {
  remote: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const
const command = { verb: 'provision', usage: USAGE, options, arguments: [1, 1] as [number, number] }

await runCommand(command, async ({ remote, 'dry-run': dryRun }, [file = '']) => {
  const content = parseJson(readFileSync(callerPath(file), 'utf8'))
  if (remote) rejectDemoPassword(content)
  const report = await withDatabase(remote, (database) =>
    applyDocument(database, content, { dryRun, onProgress: drawProgress }),
  )
  printReport(report)
  if (dryRun) console.log('This was a dry run: nothing was written.')
})

/** The README publishes it: nobody may log in with it where the data is real. */
function rejectDemoPassword(content: unknown): void {
  const { people } = rowsOf(parseDocument(content).document)
  const published = people.filter(({ password }) => password === DEMO_PASSWORD)
  const problems = published.map(({ path }) => `${path}.password: is the published password of the demo data`)
  if (problems.length > 0) throw new DocumentError(problems)
}

/** Prints a line for each table that the document has rows of. */
function printReport(report: Report): void {
  const print = (table: string, ...cells: unknown[]) =>
    console.log(`${cells.map((cell) => String(cell).padStart(10)).join('')}  ${table}`)
  print('table', 'added', 'changed', 'removed', 'unchanged')
  for (const [table, { added, changed, removed, unchanged }] of Object.entries(report))
    if (added + changed + removed + unchanged > 0) print(table, added, changed, removed, unchanged)
}
