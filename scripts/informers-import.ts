import { readFileSync } from 'node:fs'
import { readReferences } from './import/references.ts'
import {
  type CheckedRow,
  checkRows,
  columnProblem,
  type InformerBody,
  idempotencyKey,
} from './import/rows.ts'
import { parseSpreadsheet } from './import/spreadsheet.ts'
import { printable, resolveFromCallerCwd, runCommand } from './lib/command-line.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './lib/login.ts'
import { showProgress } from './lib/prompts.ts'
import { postJson, type Service, ServiceError } from './lib/service-client.ts'

const USAGE = `Usage: npm run informers:import -- BASE_URL FILE.csv [--login EMAIL] [--dry-run]
Creates the informers of a spreadsheet (CSV, UTF-8) through the service at BASE_URL, which ends in /v1.
Reports rejected rows by line. Safe to repeat.
${LOGIN_USAGE}
  --dry-run      checks the rows but sends nothing`

const options = { ...LOGIN_OPTIONS, 'dry-run': { type: 'boolean', default: false } } as const
const command = { verb: 'import', usage: USAGE, options, arguments: ['BASE_URL', 'FILE.csv'] }

await runCommand(command, async ({ 'dry-run': dryRun, ...values }, [baseUrl = '', file = '']) => {
  const { columns, rows } = parseSpreadsheet(readFileSync(resolveFromCallerCwd(file)))
  const service = await authenticate(baseUrl, values)
  const checked = checkRows(rows, await readReferences(service, columns))
  if (dryRun) return report(checked, checked, 'can be imported; nothing was sent')

  const done: CheckedRow[] = []
  const progress = showProgress(checked.length)
  try {
    for (const row of checked) {
      if (row.body) row.problems.push(...(await createInformer(service, row.body)))
      done.push(row)
      progress.advance()
    }
  } finally {
    progress.stop()
    report(checked, done, 'are registered')
  }
})

/**
 * Creates an informer; idempotent.
 *
 * @returns why the service rejected it
 */
async function createInformer(service: Service, body: InformerBody): Promise<string[]> {
  try {
    await postJson(service, '/informers', body, { 'Idempotency-Key': idempotencyKey(body) })
    return []
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 422) throw error
    return Object.entries(error.errors).flatMap(([field, messages]) =>
      messages.map((message) => columnProblem(field, message)),
    )
  }
}

/** Prints the problems by line and the number of accepted rows. */
function report(rows: CheckedRow[], done: CheckedRow[], outcome: string): void {
  for (const { line, problems } of rows)
    for (const problem of problems) console.log(printable(`line ${line}: ${problem}`))
  const accepted = done.filter(({ problems }) => problems.length === 0).length
  console.log(`${accepted} of ${rows.length} rows ${outcome}.`)
  if (accepted === rows.length) return
  console.log('Correct the others and import the whole file again: no informer is created twice.')
  process.exitCode = 1
}
