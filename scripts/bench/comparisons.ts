import { randomInt, randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { configuredVariables, workerOptions } from '../lib/configuration.ts'
import { withLocalDatabase } from '../lib/database.ts'
import { demoDocument, logIn } from '../lib/demo.ts'
import { buildWorker, builtModules, serve, serveWorker } from '../lib/local-server.ts'
import { stateFiles } from '../lib/local-state.ts'
import { applyDocument } from '../provisioning/apply.ts'
import { type Request, requestText } from './load-generator.ts'

/** Numbers of categories. */
export const SIZES = [100, 5_000]
const JWT_SECRET = randomUUID() + randomUUID()
const MAX_WORD = 20

export type Target = { url: URL; next: () => string }
export type Comparison = { what: string; subject: Target; baselines: Record<string, Target> }

const stops: (() => Promise<void>)[] = []

/** Stops all Workers. */
export async function stopWorkers(): Promise<void> {
  for (const stop of stops.splice(0)) await stop()
}

/** Builds the Workers and provisions a database in a folder. */
export async function buildWorkers(folder: string): Promise<void> {
  for (const name of ['constant', 'handwritten', 'first-lookup'])
    await buildWorker(join(folder, name), `scripts/bench/${name}.ts`)
  await buildWorker(stateFiles(folder).build)
  await withLocalDatabase(folder, (database) => applyDocument(database, demoDocument()))
}

/** Adds categories up to the given number; each Worker gets its own copy of the database. */
export async function fillDatabases(folder: string, size: number): Promise<void> {
  await withLocalDatabase(folder, (database) => fill(database, size))
  for (const name of ['handwritten', 'first-lookup'])
    cpSync(stateFiles(folder).database, databaseOf(folder, name, size), { recursive: true })
}

const databaseOf = (folder: string, name: string, size: number) => join(folder, `${name}-${size}`)

/** Starts the Workers on databases of the given size, and returns the comparisons. */
export async function startWorkers(folder: string, size: number): Promise<Comparison[]> {
  const variables = { ...configuredVariables(), JWT_SECRET }
  const { rootPath: _, ...configured } = workerOptions()
  const { compatibilityDate, d1Databases } = configured
  const start = async (name: string, options: object) => {
    const root = join(folder, name)
    const served = await serveWorker(root, builtModules(root, `${name}.ts`), options)
    stops.push(served.stop)
    return served.url
  }
  const constant = await start('constant', { compatibilityDate })
  const handwritten = await start('handwritten', {
    compatibilityDate,
    d1Databases,
    bindings: { JWT_SECRET },
    resourcePersistencePath: databaseOf(folder, 'handwritten', size),
  })
  const firstLookup = await start('first-lookup', {
    ...configured,
    bindings: variables,
    isQuiet: true,
    resourcePersistencePath: databaseOf(folder, 'first-lookup', size),
  })
  const served = await serve({ port: 0, stateDir: folder, variables, isQuiet: true })
  stops.push(served.stop)
  const service = served.url

  const list: Request = { path: '/v1/categories' }
  const Authorization = `Bearer ${await logIn(new URL('v1', service).href, 'ana@example.org')}`
  const cover: Request = { path: '/v1/cover', headers: { Authorization } }
  // a bookmark makes the service ask the database whether the list has changed
  const bookmarked: Request = { ...list, headers: { Authorization, 'x-d1-bookmark': '0' } }
  const search = distinctSearches(await namesOf(service))
  const repeat = (request: Request) => {
    const text = requestText(request)
    return () => text
  }
  const comparisons: Comparison[] = [
    {
      what: 'repeated list',
      subject: { url: service, next: repeat(list) },
      baselines: { constant: { url: constant, next: repeat(list) } },
    },
    {
      what: 'distinct searches',
      subject: { url: service, next: search },
      baselines: {
        constant: { url: constant, next: search },
        'hand-written': { url: handwritten, next: search },
      },
    },
    {
      what: 'first lookup',
      subject: { url: firstLookup, next: repeat(list) },
      baselines: { 'hand-written': { url: handwritten, next: repeat(list) } },
    },
    {
      what: 'list with a bookmark',
      subject: { url: service, next: repeat(bookmarked) },
      baselines: { 'hand-written': { url: handwritten, next: repeat(bookmarked) } },
    },
  ]
  const readCover: Comparison = {
    what: 'cover',
    subject: { url: service, next: repeat(cover) },
    baselines: { 'hand-written': { url: handwritten, next: repeat(cover) } },
  }
  return size === SIZES[0] ? [...comparisons, readCover] : comparisons // the cover does not depend on the number of categories
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
