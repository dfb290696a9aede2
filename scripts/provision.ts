import { readFileSync } from 'node:fs'
import { FLAG, printable, resolveFromCallerCwd, runCommand, TEXT } from './lib/command-line.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import { authenticate, isLoopback, LOCAL_URL, LOGIN_OPTIONS, LOGIN_USAGE } from './lib/login.ts'
import { showProgress } from './lib/prompts.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import { DocumentError, parseDocument, parseJson } from './provisioning/document.ts'
import { peopleOf } from './provisioning/people-matching.ts'

const USAGE = `Usage: npm run provision -- FILE [--url BASE_URL] --login EMAIL [--dry-run] [--recreate]
Brings a service to what a JSON document says, and reports the changes by table. Safe to interrupt and to repeat.
  --url          the service, by default ${LOCAL_URL}
${LOGIN_USAGE}
  --dry-run      reports the changes but sends none
  --recreate     also creates people who were deleted within the week`

const options = {
  url: { ...TEXT, default: LOCAL_URL },
  ...LOGIN_OPTIONS,
  'dry-run': FLAG,
  recreate: FLAG,
} as const
const command = { verb: 'provision', usage: USAGE, options, arguments: ['FILE'] }

await runCommand(command, async ({ url, 'dry-run': dryRun, recreate, ...login }, [file = '']) => {
  const content = parseJson(readFileSync(resolveFromCallerCwd(file), 'utf8'))
  if (!isLoopback(url)) rejectDemoPassword(content)
  const service = await authenticate(url, login)
  let progress: ReturnType<typeof showProgress> | undefined
  const onProgress = (total: number) => (progress ??= showProgress(total)).advance()
  try {
    printReport(
      await applyDocument(service, content, { dryRun, recreate, ...(!dryRun && { onProgress }) }),
    )
  } finally {
    progress?.stop()
  }
  if (dryRun) console.log('This was a dry run: nothing was sent.')
})

/** The README publishes this password, so it must not protect real data. */
function rejectDemoPassword(content: unknown): void {
  const published = peopleOf(parseDocument(content).document).filter(
    ({ person }) => person.password === DEMO_PASSWORD,
  )
  const problems = published.map(
    ({ path }) => `${path}.password: is the published password of the demo data`,
  )
  if (problems.length > 0) throw new DocumentError(problems)
}

/** Prints a line per table with rows in the document, then what was refused. */
function printReport({ counts, refusals }: Report): void {
  const print = (table: string, ...cells: unknown[]) =>
    console.log(`${cells.map((cell) => String(cell).padStart(10)).join('')}  ${table}`)
  print('table', 'added', 'changed', 'removed', 'unchanged')
  for (const [table, { added, changed, removed, unchanged }] of counts)
    if (added + changed + removed + unchanged > 0) print(table, added, changed, removed, unchanged)
  const repeated = counts.get('informer_completions')?.repeated ?? 0
  if (repeated > 0) console.log(`${repeated} completions of groups that are begun are sent again.`)
  if (refusals.length === 0) return
  console.error(['Refused:', ...refusals].map(printable).join('\n'))
  process.exitCode = 1
}
