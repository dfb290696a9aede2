import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from 'miniflare'
import { type Variables, workerOptions } from '../lib/configuration.ts'
import { builtModules } from '../lib/local-server.ts'
import { stateFiles } from '../lib/local-state.ts'
import { HOST } from '../lib/ports.ts'
import { startService, temporaryState } from '../lib/service-process.ts'

/** A Worker to measure: the service of a checkout, as its own `npm start` built and filled it, or the constant Worker. */
export type Subject = { name: string; options: Partial<V4MiniflareOptions>; stateDir?: string }

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

/** Serves a subject on a socket of its own, without a proxy; a service with a number of categories in its database. */
export async function serve({ options, stateDir }: Subject, size: number) {
  const copy = temporaryState()
  const { database } = stateFiles(copy.stateDir)
  if (stateDir) cpSync(stateFiles(stateDir).database, database, { recursive: true })
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...options,
      unsafeDirectSockets: [{ host: HOST, port: 0 }],
      resourcePersistencePath: database,
      handleStructuredLogs: () => undefined,
      cf: false,
    } as V4MiniflareOptions),
  )
  const stop = async () => {
    await miniflare.dispose()
    copy.remove()
  }
  if (stateDir) await resizeCategories(await miniflare.getD1Database('DB'), size)
  return { url: await miniflare.unsafeGetDirectURL(), stop }
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
