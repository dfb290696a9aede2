import { readFileSync } from 'node:fs'
import {
  FLAG,
  printable,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
} from './lib/command-line.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import {
  authenticate,
  isLoopback,
  LOCAL_URL,
  LOGIN_OPTIONS,
  LOGIN_USAGE,
} from './lib/login.ts'
import { showProgress } from './lib/prompts.ts'
import type { Service } from './lib/service-call.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import {
  type Document,
  DocumentError,
  parseDocument,
  parseJson,
} from './provisioning/document.ts'
import { peopleOf } from './provisioning/people-matching.ts'

const USAGE = `Usage: npm run provision -- FILE [--url BASE_URL] --login EMAIL [--dry-run] [--recreate]
Brings a service to what a JSON document says, and reports the changes by table.
Safe to interrupt and to repeat.
  --url          the service, by default ${LOCAL_URL}
${LOGIN_USAGE}
  --dry-run      reports the changes but sends none
  --recreate     also creates people who were deleted within the week`

const command = {
  verb: 'provision',
  usage: USAGE,
  options: {
    url: { ...TEXT, default: LOCAL_URL },
    ...LOGIN_OPTIONS,
    'dry-run': FLAG,
    recreate: FLAG,
  },
  arguments: ['FILE'],
} as const

await runCommand(
  command,
  async ({ url, 'dry-run': dryRun, recreate, ...login }, [file = '']) => {
    const content = parseJson(readFileSync(resolveFromCallerCwd(file), 'utf8'))
    const { document } = parseDocument(content)
    if (!isLoopback(url)) {
      rejectDemoPassword(document)
    }

    const service = await authenticate(url, login)
    printReport(await apply(service, content, { dryRun, recreate }))
    await printHints(document)
    if (dryRun) {
      console.log('This was a dry run: nothing was sent.')
    }
  },
)

/** The README publishes this password, so it must not protect real data. */
function rejectDemoPassword(document: Document): void {
  const published = peopleOf(document).filter(
    ({ person }) => person.password === DEMO_PASSWORD,
  )
  const problems = published.map(
    ({ path }) => `${path}.password: is the published password of the demo data`,
  )
  if (problems.length > 0) {
    throw new DocumentError(problems)
  }
}

/** Applies a document, and shows its progress. */
async function apply(
  service: Service,
  content: unknown,
  options: {
    dryRun: boolean
    recreate: boolean
  },
): Promise<Report> {
  let progress: ReturnType<typeof showProgress> | undefined
  const onProgress = (total: number) => {
    if (options.dryRun) {
      return
    }
    progress ??= showProgress(total)
    progress.advance()
  }
  try {
    return await applyDocument(service, content, { ...options, onProgress })
  } finally {
    progress?.stop()
  }
}

/** Prints a line per table with rows in the document, then what was refused. */
function printReport({ counts, refusals }: Report): void {
  printRow('table', 'added', 'changed', 'removed', 'unchanged')
  for (const [table, { added, changed, removed, unchanged }] of counts) {
    const isEmpty = added + changed + removed + unchanged === 0
    if (!isEmpty) {
      printRow(table, added, changed, removed, unchanged)
    }
  }
  const repeated = counts.get('informer_completions')?.repeated ?? 0
  if (repeated > 0) {
    console.log(`${repeated} completions of groups that are begun are sent again.`)
  }

  if (refusals.length === 0) {
    return
  }
  console.error(['Refused:', ...refusals].map(printable).join('\n'))
  process.exitCode = 1
}

function printRow(table: string, ...cells: unknown[]): void {
  const columns = cells.map((cell) => String(cell).padStart(10))
  console.log(`${columns.join('')}  ${table}`)
}

/** Names the groups whose cover would show no line of secrecy. */
async function printHints({ processes }: Document): Promise<void> {
  const names = processes.flatMap(({ row }) => row.groups.map(({ name }) => name))
  if (names.length === 0) {
    return
  }

  const { uncoveredGroups } = await import('./lib/cover-texts.ts') // loads wrangler, which is slow
  for (const name of uncoveredGroups(names)) {
    const hint = `Hint: COVER_TEXTS of wrangler.toml has no group "${name}".`
    console.error(printable(`${hint} Its cover will show no lines of secrecy.`))
  }
}
