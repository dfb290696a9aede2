import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DEMO_ADMINISTRATOR, logIn } from '../../commands/provisioning/demo.ts'
import { create } from '../../commands/service/service-client.ts'
import { forEachConcurrently } from '../../lib/concurrency.ts'
import { builtWorker, QUIET, serve } from '../../lib/local-server.ts'
import { stateFiles } from '../../lib/state-folder.ts'
import { startService, temporaryState } from '../service-process.ts'

/** A server to measure: a checkout of the service, or a file of this folder. */
export type Subject = {
  name: string
  /** Whether it logs in users and has the lists; others get the service's requests. */
  isService: boolean
  /** The only comparison it can serve. */
  only?: string
  start(): Promise<Running>
}

export type Running = { url: URL; stop(): Promise<void> }

export type Checkout = Subject & {
  /** The folder of its database, which every server gets a copy of. */
  stateDir: string
  remove(): void
}

/** Signs the tokens of all checkouts, so that other servers can verify them. */
export const JWT_SECRET = crypto.randomUUID()

/** The service of a checkout, as its own `npm start` builds it and fills a temporary folder. */
export async function prepareCheckout(
  name: string,
  folder: string,
  categories: number,
): Promise<Checkout> {
  const { stateDir, remove } = temporaryState()
  const service = await startService({ STATE_DIR: stateDir }, 'start', folder)
  await addCategories(service.baseUrl, categories)
  await service.interrupt()

  const worker = builtWorker(stateDir, { JWT_SECRET }, folder)
  const start = () => startWorker(worker, stateDir)
  return { name, isService: true, start, stateDir, remove }
}

const DEMO_CATEGORIES = 100

/** Uses the API, which is the same for every checkout. */
async function addCategories(baseUrl: string, count: number): Promise<void> {
  const token = await logIn(baseUrl, DEMO_ADMINISTRATOR.email)
  const numbers = Array.from({ length: count - DEMO_CATEGORIES }, (_, at) => at)
  await forEachConcurrently(numbers, (number) => {
    const body = { name: `Categoria ${number}`, description: `Descrição ${number}.` }
    return create({ baseUrl, token }, '/categories', body)
  })
}

/** A Worker in one file, by default without any binding. */
export const workerFile = (path: string) => ({
  compatibilityDate: '2026-01-01',
  modulesRoot: dirname(path),
  modules: [{ type: 'ESModule' as const, path }],
})

/** The limit of the runtime. */
export const constant: Subject = {
  name: 'constant',
  isService: false,
  start: () => startWorker(workerFile(join(import.meta.dirname, 'constant.js'))),
}

/** Serves a Worker with a copy of the database in a state folder. */
export async function startWorker(
  worker: Parameters<typeof serve>[0],
  stateDir?: string,
): Promise<Running> {
  const copy = stateDir ? copyDatabase(stateDir) : temporaryState()
  const { url, miniflare } = await serve(worker, copy.stateDir, QUIET)
  const stop = () => miniflare.dispose().finally(copy.remove)
  return { url, stop }
}

/** A temporary state folder with a copy of the database of another. */
export function copyDatabase(stateDir: string) {
  const copy = temporaryState()
  const [from, to] = [stateDir, copy.stateDir].map((dir) => stateFiles(dir).database)
  cpSync(from ?? '', to ?? '', { recursive: true })
  return copy
}
