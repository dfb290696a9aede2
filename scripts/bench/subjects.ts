import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from 'miniflare'
import { type Variables, workerOptions } from '../lib/configuration.ts'
import { builtModules } from '../lib/local-server.ts'
import { stateFiles } from '../lib/local-state.ts'
import { HOST } from '../lib/ports.ts'
import { startService, temporaryState } from '../lib/service-process.ts'
import { cpuMilliseconds, type Figures, figuresOf } from './load.ts'

/** A Worker to measure: the service of a checkout, as its own `npm start` built and filled it, or the constant Worker. */
export type Subject = { name: string; options: Partial<V4MiniflareOptions>; stateDir?: string }
export type Served = { name: string; isService: boolean; urls: URL[] }

export const CONSTANT: Subject = {
  name: 'constant',
  options: {
    compatibilityDate: '2026-01-01',
    modulesRoot: import.meta.dirname,
    modules: [{ type: 'ESModule', path: join(import.meta.dirname, 'constant.js') }],
  },
}

/** Builds the service of a checkout and its demo data in a temporary folder, by its `npm start`. */
export async function prepareService(name: string, checkout: string): Promise<Subject & { remove(): void }> {
  const { stateDir, remove } = temporaryState()
  const { interrupt } = await startService({ STATE_DIR: stateDir }, 'start', checkout)
  await interrupt()
  const { rootPath: _, ...configured } = workerOptions(checkout)
  const bindings: Variables = { ...configured.bindings, JWT_SECRET: crypto.randomUUID() }
  const { build } = stateFiles(stateDir)
  const options = { ...configured, bindings, modulesRoot: build, modules: builtModules(build) }
  return { name, options, stateDir, remove }
}

/** Does work while isolates of each subject are served, with a number of categories in the database of a service. */
export async function withServed<Result>(
  subjects: Subject[],
  size: number,
  isolates: number,
  work: (served: Served[]) => Promise<Result>,
): Promise<Result> {
  const ends: (() => Promise<void>)[] = []
  const served: Served[] = []
  try {
    for (const subject of subjects) {
      const { name, stateDir } = subject
      const copy = temporaryState()
      ends.push(async () => copy.remove())
      const { database } = stateFiles(copy.stateDir)
      if (stateDir) cpSync(stateFiles(stateDir).database, database, { recursive: true })
      const miniflare = isolatesOf(subject, isolates, database)
      ends.unshift(() => miniflare.dispose())
      if (stateDir) await resizeCategories(await miniflare.getD1Database('DB', nameOf(0)), size)
      const urls = Array.from({ length: isolates }, (_, at) => miniflare.unsafeGetDirectURL(nameOf(at)))
      served.push({ name, isService: stateDir !== undefined, urls: await Promise.all(urls) })
    }
    return await work(served)
  } finally {
    for (const end of ends) await end()
  }
}

const nameOf = (isolate: number) => `isolate-${isolate}`

/** Isolates of a Worker in one process, each on a socket of its own, without a proxy. */
function isolatesOf({ options }: Subject, count: number, database: string): Miniflare {
  const unsafeDirectSockets = [{ host: HOST, port: 0 }]
  const workers = Array.from({ length: count }, (_, at) => ({ ...options, name: nameOf(at), unsafeDirectSockets }))
  const shared = { resourcePersistencePath: database, handleStructuredLogs: () => undefined, cf: false }
  return new Miniflare(convertV4MiniflareOptions({ workers, ...shared } as V4MiniflareOptions))
}

async function resizeCategories(database: D1Database, size: number): Promise<void> {
  await database.batch([
    database.prepare('delete from categories where id > ?').bind(size),
    database
      .prepare(
        `insert into categories (id, name, description)
         with recursive counter(n) as (select count(*) + 1 from categories union all select n + 1 from counter where n < ?1)
         select n, 'Categoria ' || n, 'Descrição da categoria ' || n from counter where n <= ?1`,
      )
      .bind(size),
  ])
}

/** The CPU to start one more isolate of a Worker. */
export async function startCost(subject: Subject): Promise<Figures> {
  const cpuOfStart = (isolates: number) => withServed([subject], 100, isolates, async () => cpuMilliseconds())
  return figuresOf(((await cpuOfStart(10)) - (await cpuOfStart(1))) / 9)
}
