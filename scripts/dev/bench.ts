import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { logIn } from '../commands/provisioning/demo.ts'
import { FLAG, resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { workerOptions } from '../lib/configuration.ts'
import { builtWorker, type serve } from '../lib/local-server.ts'
import { stateFiles } from '../lib/state-folder.ts'
import { settledCpu, withProcess } from './bench/cpu.ts'
import { measureHostileRequests } from './bench/hostile-requests.ts'
import { startService, temporaryState } from './service-process.ts'

const USAGE = `Usage: npm run bench -- [--beside FOLDER] [--hostile]
Compares the service's CPU time with that of a constant Worker, of a hand-written one, and of
another checkout. Only ratios within a run are comparable. Linux only.
  --beside   the folder of another checkout, after npm ci
  --hostile  instead, how much of a password hash the dearest requests without a token cost`

type Worker = Parameters<typeof serve>[0]
/** A Worker, the state folder whose database it gets a copy of, and the requests that it answers. */
type Subject = { worker: Worker; stateDir: string; requests: Record<string, Send> }
type Send = (url: URL, count: number) => Promise<Response>

/** Fresh processes of each subject. */
const PROCESSES = 9
const WARM_UP = 300
const MEASURED = 600
const CONNECTIONS = 32

const JWT_SECRET = crypto.randomUUID() // of all, so that one token is valid everywhere
const LIST = '/v1/dioceses'

/** The service of a checkout, as its own `npm start` built it in a state folder. */
function checkout(folder: string, stateDir: string, token: string): Subject {
  const headers = { Authorization: `Bearer ${token}` }
  const requests: Record<string, Send> = {
    list: (url) => fetch(new URL(LIST, url)),
    search: (url, count) => fetch(new URL(`${LIST}?search=sao ${count}`, url)),
    cover: (url) => fetch(new URL('/v1/cover', url), { headers }),
  }
  const worker = builtWorker(stateDir, { JWT_SECRET }, folder)
  return { worker, stateDir, requests }
}

/** The limit of the runtime: a Worker with the same bindings, and as long a response as a list. */
function constant({ stateDir, requests }: Subject): Subject {
  const { d1Databases, ratelimits } = workerOptions()
  const body = JSON.stringify({ data: 'x'.repeat(3_000) })
  const script = `export default { fetch: () => new Response(${JSON.stringify(body)}) }`
  const compatibilityDate = '2026-01-01'
  const worker = { compatibilityDate, d1Databases, ratelimits, modules: true, script }
  return { worker, stateDir, requests }
}

/** The cover of the same rows, written for speed alone. */
function handwritten({ stateDir, requests }: Subject): Subject {
  const { d1Databases, bindings } = workerOptions()
  const folder = join(import.meta.dirname, 'bench')
  const worker = {
    compatibilityDate: '2026-01-01',
    modulesRoot: folder,
    modules: [{ type: 'ESModule' as const, path: join(folder, 'handwritten.js') }],
    d1Databases,
    bindings: { JWT_SECRET, COVER_TEXTS: bindings?.COVER_TEXTS ?? {} },
  }
  return { worker, stateDir, requests: { cover: requests.cover as Send } }
}

/** Returns the CPU time of a warm process of a subject for each request, in milliseconds. */
async function measure({ worker, stateDir }: Subject, send: Send): Promise<number> {
  const copy = temporaryState()
  const [from, to] = [stateDir, copy.stateDir].map((dir) => stateFiles(dir).database)
  cpSync(from as string, to as string, { recursive: true })
  try {
    return await withProcess(worker, copy.stateDir, async (url, pid) => {
      await sendMany(send, url, WARM_UP)
      const before = await settledCpu(pid)
      await sendMany(send, url, MEASURED)
      return ((await settledCpu(pid)) - before) / MEASURED
    })
  } finally {
    copy.remove()
  }
}

/** Sends requests over some connections. @throws if a response is not a 200 */
async function sendMany(send: Send, url: URL, total: number): Promise<void> {
  let sent = 0
  const connection = async () => {
    while (sent < total) {
      const response = await send(url, sent++)
      if (response.status !== 200) throw new Error(`${response.url}: ${response.status}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: Math.min(total, CONNECTIONS) }, connection))
}

const lowerQuartile = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? 0

/** Returns the ratios of the first subject to the others, all measured in turn, forth and back. */
async function compare(subjects: Record<string, Subject>, request: string) {
  const kinds = Object.entries(subjects).flatMap(([name, subject]) => {
    const send = subject.requests[request]
    return send ? [{ name, subject, send, measured: [] as number[] }] : []
  })
  for (let at = 0; at < PROCESSES; at++) {
    for (const { subject, send, measured } of at % 2 ? kinds.toReversed() : kinds) {
      measured.push(await measure(subject, send))
    }
  }
  const [service = 0, ...others] = kinds.map(({ measured }) => lowerQuartile(measured))
  return Object.fromEntries(
    others.map((other, at) => [`÷ ${kinds[at + 1]?.name}`, (service / other).toFixed(2)]),
  )
}

/** Returns the shares of a hash that hostile requests cost, by request and subject. */
async function hostileShares(subjects: Record<string, Subject>) {
  const table: Record<string, Record<string, string>> = {}
  for (const [subject, { worker, stateDir }] of Object.entries(subjects)) {
    const shares = await measureHostileRequests(worker, stateDir)
    for (const [request, share] of Object.entries(shares)) {
      table[request] = { ...table[request], [subject]: share.toFixed(3) }
    }
  }
  return table
}

await runCommand(
  { verb: 'measure', usage: USAGE, options: { beside: TEXT, hostile: FLAG } },
  async ({ beside, hostile }) => {
    console.log('Building …')
    const states: ReturnType<typeof temporaryState>[] = []
    const build = async (folder: string) => {
      const state = temporaryState()
      states.push(state)
      const env = { STATE_DIR: state.stateDir, JWT_SECRET }
      const running = await startService(env, 'start', folder)
      const token = await logIn(running.baseUrl, 'ana@example.org')
      await running.interrupt()
      return checkout(folder, state.stateDir, token)
    }
    try {
      const service = await build('.')
      const other = beside && (await build(resolveFromCallerCwd(beside)))
      if (hostile) {
        console.table(await hostileShares({ service, ...(other && { beside: other }) }))
        return
      }

      const subjects = {
        service,
        constant: constant(service),
        ...(other && { beside: other }),
        handwritten: handwritten(service),
      }
      const ratios: Record<string, Record<string, string>> = {}
      for (const request of Object.keys(service.requests)) {
        ratios[request] = await compare(subjects, request)
      }
      console.table(ratios)
    } finally {
      for (const { remove } of states) remove()
    }
  },
)
