import { randomInt, randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { configuredVariables, workerOptions } from '../lib/configuration.ts'
import { withLocalDatabase } from '../lib/database.ts'
import { demoDocument, logIn } from '../lib/demo.ts'
import { buildWorker, builtModules, configuredOptions, serveWorker } from '../lib/local-server.ts'
import { stateFiles } from '../lib/local-state.ts'
import { applyDocument } from '../provisioning/apply.ts'
import { type Request, requestText } from './load-generator.ts'

/** Numbers of categories. */
export const SIZES = [100, 5_000]
const MAX_WORD = 20

const SCRIPTS = {
  service: 'src/index.ts',
  'first-lookup': 'scripts/bench/first-lookup.ts',
  constant: 'scripts/bench/constant.ts',
  handwritten: 'scripts/bench/handwritten.ts',
}
type Worker = keyof typeof SCRIPTS
const WORKERS = Object.keys(SCRIPTS) as Worker[]

export type Comparison = {
  what: string
  /** Of `SIZES`; others cost the same. */
  sizes: number[]
  subject: Worker
  baselines: Worker[]
  /** Whether only the first request after a start is measured. */
  isCold?: boolean
  /** What is sent to all of them: a function that returns the next request. */
  requests: (subject: URL) => Promise<() => string>
}

const LIST: Request = { path: '/v1/categories' }

export const COMPARISONS: Comparison[] = [
  {
    what: 'repeated list',
    sizes: SIZES,
    subject: 'service',
    baselines: ['constant'],
    requests: async () => repeat(LIST),
  },
  {
    what: 'distinct searches',
    sizes: SIZES,
    subject: 'service',
    baselines: ['constant', 'handwritten'],
    requests: async (service) => distinctSearches(await namesOf(service)),
  },
  {
    what: 'first lookup after a start',
    sizes: SIZES.slice(0, 1),
    subject: 'service',
    baselines: ['handwritten'],
    isCold: true,
    requests: async () => repeat(LIST),
  },
  {
    what: 'first lookup',
    sizes: SIZES,
    subject: 'first-lookup',
    baselines: ['handwritten'],
    requests: async () => repeat(LIST),
  },
  {
    what: 'list with a bookmark', // which makes the service ask the database whether the list has changed
    sizes: SIZES.slice(0, 1),
    subject: 'service',
    baselines: ['handwritten'],
    requests: async (service) =>
      repeat({ ...LIST, headers: { ...(await authorization(service)), 'x-d1-bookmark': '0' } }),
  },
  {
    what: 'cover',
    sizes: SIZES.slice(0, 1),
    subject: 'service',
    baselines: ['handwritten'],
    requests: async (service) => repeat({ path: '/v1/cover', headers: await authorization(service) }),
  },
]

/** Builds the Workers and provisions a database in a folder. */
export async function buildWorkers(folder: string): Promise<void> {
  for (const worker of WORKERS) await buildWorker(join(folder, worker), SCRIPTS[worker])
  await withLocalDatabase(folder, (database) => applyDocument(database, demoDocument()))
}

/** Adds categories up to the given number; each Worker gets its own copy of the database. */
export async function fillDatabases(folder: string, size: number): Promise<void> {
  await withLocalDatabase(folder, (database) => fill(database, size))
  for (const worker of WORKERS)
    cpSync(stateFiles(folder).database, databaseOf(folder, worker, size), { recursive: true })
}

const databaseOf = (folder: string, worker: Worker, size: number) => join(folder, `${worker}-${size}`)

const JWT_SECRET = randomUUID() + randomUUID()

/** Starts a Worker on its database: the baselines with nothing but what they use. */
export function startWorker(folder: string, worker: Worker, size: number) {
  const root = join(folder, worker)
  const modules = builtModules(root, SCRIPTS[worker])
  const { compatibilityDate, d1Databases } = workerOptions()
  const database = databaseOf(folder, worker, size)
  if (worker === 'constant') return serveWorker(root, modules, { compatibilityDate })
  if (worker === 'handwritten')
    return serveWorker(root, modules, {
      compatibilityDate,
      d1Databases,
      bindings: { JWT_SECRET },
      resourcePersistencePath: database,
    })
  const variables = { ...configuredVariables(), JWT_SECRET }
  return serveWorker(root, modules, { ...configuredOptions(variables, database), isQuiet: true })
}

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

function repeat(request: Request): () => string {
  const text = requestText(request)
  return () => text
}

async function authorization(service: URL) {
  return { Authorization: `Bearer ${await logIn(new URL('v1', service).href, 'ana@example.org')}` }
}

async function namesOf(service: URL): Promise<string[]> {
  const response = await fetch(new URL('v1/categories?per_page=100', service))
  const { data } = (await response.json()) as { data: { name: string }[] }
  return data.map(({ name }) => name)
}

/** Requests that search for a category name in random case, never the same text twice. */
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
