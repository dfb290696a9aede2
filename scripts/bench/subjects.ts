import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { builtWorker, QUIET, serve as serveWorker } from '../lib/local-server.ts'
import { startService, temporaryState } from '../lib/service-process.ts'
import { stateFiles } from '../lib/state-folder.ts'

/**
 * A Worker to measure: the service of a checkout, as its own `npm start` built and filled it, or
 * the constant Worker.
 */
export type Subject = {
  name: string
  worker: Parameters<typeof serveWorker>[0]
  stateDir?: string
}

export const CONSTANT: Subject = {
  name: 'constant',
  worker: {
    compatibilityDate: '2026-01-01',
    modulesRoot: import.meta.dirname,
    modules: [{ type: 'ESModule', path: join(import.meta.dirname, 'constant.js') }],
  },
}

/** Builds the service of a checkout and its demo data in a temporary folder, by its `npm start`. */
export async function prepareService(
  name: string,
  checkout: string,
): Promise<Subject & { remove(): void }> {
  const { stateDir, remove } = temporaryState()
  const { interrupt } = await startService({ STATE_DIR: stateDir }, 'start', checkout)
  await interrupt()
  const worker = builtWorker(stateDir, { JWT_SECRET: crypto.randomUUID() }, checkout)
  return {
    name,
    worker,
    stateDir,
    remove,
  }
}

/** Serves a subject; a service with a copy of its database, and a number of categories in it. */
export async function serve({ worker, stateDir }: Subject, size: number) {
  const copy = temporaryState()
  if (stateDir) {
    cpSync(stateFiles(stateDir).database, stateFiles(copy.stateDir).database, {
      recursive: true,
    })
  }
  const { url, miniflare } = await serveWorker(worker, copy.stateDir, QUIET)
  if (stateDir) {
    await resizeCategories(await miniflare.getD1Database('DB'), size)
  }
  const stop = async () => {
    await miniflare.dispose()
    copy.remove()
  }
  return { url, stop }
}

const ADD_CATEGORIES = `insert into categories (id, name, name_folded, description)
  with recursive counter(n) as (select count(*) + 1 from categories union all select n + 1 from counter where n < ?1)
  select n, 'Categoria ' || n, 'categoria ' || n, 'Descrição da categoria ' || n from counter where n <= ?1`

async function resizeCategories(database: D1Database, size: number): Promise<void> {
  const statements = ['delete from categories where id > ?', ADD_CATEGORIES]
  await database.batch(
    statements.map((statement) => database.prepare(statement).bind(size)),
  )
}
