import { randomInt, randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { generateLoad, type Load, type Request, requestText } from './bench/load-generator.ts'
import { cpuMilliseconds } from './lib/child-processes.ts'
import { positiveNumber, runCommand } from './lib/command-line.ts'
import { configuredVariables, workerOptions } from './lib/configuration.ts'
import { withLocalDatabase } from './lib/database.ts'
import { demoDocument, logIn } from './lib/demo.ts'
import { buildWorker, builtModules, serve, serveWorker } from './lib/local-server.ts'
import { stateFiles } from './lib/local-state.ts'
import { median } from './lib/median.ts'
import { temporaryState } from './lib/service-process.ts'
import { applyDocument } from './provisioning/apply.ts'

const USAGE = `Usage: npm run bench -- [--seconds 1] [--rounds 3]
Measures the service, with all of its configuration, beside a constant Worker without any and a hand-written Worker
with D1 alone, each served by the runtime in the same way. Takes two to three minutes; compare ratios alone.
  --seconds  how long each measurement takes
  --rounds   how often each is taken; a ratio is the median of its rounds`

const CONNECTIONS = [1, 32]
const SIZES = [100, 5_000]
const JWT_SECRET = randomUUID() + randomUUID()
const MAX_WORD = 20

type Target = { url: URL; next: () => string }
type Figures = Pick<Load, 'rate' | 'p50' | 'p99'> & { cpu: number }
type Row = Record<string, string | number>
type Contest = { what: string; ours: Target; theirs: Record<string, Target> }

const started = Date.now()
const { stateDir: folder, remove } = temporaryState()
const stops: (() => Promise<void>)[] = []
const options = {
  seconds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '3' },
} as const

await runCommand({ verb: 'measure', usage: USAGE, options }, async (values) => {
  const seconds = positiveNumber(values.seconds, '--seconds')
  const rounds = positiveNumber(values.rounds, '--rounds')
  const rows: Row[] = []
  report('building three Workers')
  for (const name of ['constant', 'handwritten'])
    await buildWorker(join(folder, name), `scripts/bench/${name}.ts`)
  await buildWorker(stateFiles(folder).build)
  await withLocalDatabase(folder, (database) => applyDocument(database, demoDocument()))
  for (const size of SIZES) {
    const contests = await prepare(size)
    for (const connections of CONNECTIONS)
      for (const contest of contests) {
        report(`${contest.what}, ${size} categories, ${connections} connection${connections > 1 ? 's' : ''}`)
        const load = (target: Target) => measure(target, connections, seconds)
        for (const row of await compare(contest, rounds, load)) rows.push({ ...row, size, connections })
      }
    await stop()
  }
  console.table(rows, [
    'what',
    'size',
    'connections',
    'against',
    'ratio',
    'ratio of CPU',
    'rate',
    'its rate',
    'p50, p99 (ms)',
  ])
})
await stop()
remove()

/** Serves the Workers on a database of some size, and says what is to be compared. */
async function prepare(size: number): Promise<Contest[]> {
  report(`a database of ${size} categories`)
  await withLocalDatabase(folder, (database) => fill(database, size))
  const variables = { ...configuredVariables(), JWT_SECRET }
  const handwrittenDatabase = join(folder, `handwritten-${size}`)
  cpSync(stateFiles(folder).database, handwrittenDatabase, { recursive: true })
  const { compatibilityDate, d1Databases } = workerOptions()
  const bare = async (name: string, bindings: object) => {
    const root = join(folder, name)
    const served = await serveWorker(root, builtModules(root, `${name}.ts`), {
      compatibilityDate,
      ...bindings,
    })
    stops.push(served.stop)
    return served.url
  }
  const constant = await bare('constant', {})
  const handwritten = await bare('handwritten', {
    d1Databases,
    bindings: { JWT_SECRET },
    resourcePersistencePath: handwrittenDatabase,
  })
  const served = await serve({ port: 0, stateDir: folder, variables, isQuiet: true })
  stops.push(served.stop)
  const service = served.url

  const list: Request = { path: '/v1/categories' }
  const Authorization = `Bearer ${await logIn(new URL('v1', service).href, 'ana@example.org')}`
  const cover: Request = { path: '/v1/cover', headers: { Authorization } }
  // a token with a bookmark has the list read from the database first, as the first lookup of an isolate
  const cold: Request = { ...list, headers: { Authorization, 'x-d1-bookmark': '0' } }
  const search = distinctSearches(await namesOf(service))
  const repeat = (request: Request) => {
    const text = requestText(request)
    return () => text
  }
  return [
    {
      what: 'repeated list',
      ours: { url: service, next: repeat(list) },
      theirs: { constant: { url: constant, next: repeat(list) } },
    },
    {
      what: 'distinct searches',
      ours: { url: service, next: search },
      theirs: {
        constant: { url: constant, next: search },
        'hand-written': { url: handwritten, next: search },
      },
    },
    {
      what: 'first lookup',
      ours: { url: service, next: repeat(cold) },
      theirs: { 'hand-written': { url: handwritten, next: repeat(list) } },
    },
    {
      what: 'cover',
      ours: { url: service, next: repeat(cover) },
      theirs: { 'hand-written': { url: handwritten, next: repeat(cover) } },
    },
  ]
}

/** Adds categories up to a number of them. */
async function fill(database: D1Database, size: number): Promise<void> {
  await database
    .prepare(
      `insert into categories (name, description)
       with recursive counter(n) as (select count(*) + 1 from categories union all select n + 1 from counter where n < ?1)
       select 'Categoria ' || n, 'Descrição ' || n from counter where n <= ?1`,
    )
    .bind(size)
    .run()
}

async function namesOf(service: URL): Promise<string[]> {
  const response = await fetch(new URL('v1/categories?per_page=100', service))
  const { data } = (await response.json()) as { data: { name: string }[] }
  return data.map(({ name }) => name)
}

/** Requests that search for the name of a category in letters of random case: every one another word. */
function distinctSearches(names: string[]): () => string {
  const sent = new Set<string>()
  return () => {
    let word = ''
    do {
      const name = names[randomInt(names.length)] ?? ''
      word = name
        .slice(0, MAX_WORD)
        .replace(/[a-z]/gi, (letter) => (Math.random() < 0.5 ? letter.toUpperCase() : letter.toLowerCase()))
    } while (sent.has(word))
    sent.add(word)
    return requestText({ path: `/v1/categories?search=${encodeURIComponent(word)}` })
  }
}

/** All targets in turn, round by round; the median of the rounds and of their ratios. */
async function compare(
  { what, ours, theirs }: Contest,
  rounds: number,
  load: (target: Target) => Promise<Figures>,
): Promise<Row[]> {
  const measured: { own: Figures; others: Record<string, Figures> }[] = []
  for (let round = 0; round <= rounds; round++) {
    const own = await load(ours)
    const others: Record<string, Figures> = {}
    for (const [name, target] of Object.entries(theirs)) others[name] = await load(target)
    if (round > 0) measured.push({ own, others }) // the first warms up
  }
  return Object.keys(theirs).map((name) => {
    const of = (pick: (own: Figures, other: Figures) => number) =>
      median(measured.map(({ own, others }) => pick(own, others[name] as Figures)))
    return {
      what,
      against: name,
      ratio: of((own, other) => own.rate / other.rate).toFixed(2),
      'ratio of CPU': of((own, other) => other.cpu / own.cpu).toFixed(2),
      rate: Math.round(of((own) => own.rate)),
      'its rate': Math.round(of((_, other) => other.rate)),
      'p50, p99 (ms)': `${of((own) => own.p50).toFixed(2)}, ${of((own) => own.p99).toFixed(2)}`,
    }
  })
}

async function measure({ url, next }: Target, connections: number, seconds: number): Promise<Figures> {
  const before = cpuMilliseconds()
  const load = await generateLoad(url, next, { connections, seconds })
  const statuses = [...load.statuses.keys()].join()
  if (load.failed > 0 || statuses !== '200')
    throw new Error(`${url}: statuses ${statuses}, ${load.failed} failed`)
  return { ...load, cpu: (cpuMilliseconds() - before) / load.rate }
}

async function stop(): Promise<void> {
  for (const end of stops.splice(0)) await end()
}

function report(line: string): void {
  console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(4)} s  ${line}`)
}
