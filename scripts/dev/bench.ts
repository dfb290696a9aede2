import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logIn } from '../commands/provisioning/demo.ts'
import { resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { workerOptions } from '../lib/configuration.ts'
import { builtWorker, QUIET, serve } from '../lib/local-server.ts'
import { stateFiles } from '../lib/state-folder.ts'
import { startService, temporaryState } from './service-process.ts'

const USAGE = `Usage: npm run bench -- [--beside FOLDER]
Compares the service's CPU time with that of a constant Worker, of a hand-written one, and of
another checkout. Only ratios within a run are comparable. Linux only.
  --beside  the folder of another checkout, after npm ci`

type Worker = Parameters<typeof serve>[0]
/** A Worker, the state folder whose database it gets a copy of, and the requests that it answers. */
type Subject = { worker: Worker; stateDir: string; requests: Record<string, Send> }
type Send = (url: URL, count: number) => Promise<Response>
/** CPU time in milliseconds: until the first response, and for each of many later. */
type Figures = { cold: number; warm: number }

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
function constant(stateDir: string): Subject {
  const { d1Databases, ratelimits } = workerOptions()
  const body = JSON.stringify({ data: 'x'.repeat(3_000) })
  const script = `export default { fetch: () => new Response(${JSON.stringify(body)}) }`
  const compatibilityDate = '2026-01-01'
  const worker = { compatibilityDate, d1Databases, ratelimits, modules: true, script }
  return { worker, stateDir, requests: { any: (url) => fetch(url) } }
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

/** Measures a fresh process of a subject with one kind of request. */
async function measure({ worker, stateDir }: Subject, send: Send): Promise<Figures> {
  const copy = temporaryState()
  const [from, to] = [stateDir, copy.stateDir].map((dir) => stateFiles(dir).database)
  cpSync(from as string, to as string, { recursive: true })
  const others = runtimes()
  const { url, miniflare } = await serve(worker, copy.stateDir, QUIET)
  try {
    const pid = runtimes().find((one) => !others.includes(one)) ?? 0
    await sendMany(send, url, 1)
    const cold = await settledCpu(pid)
    await sendMany(send, url, WARM_UP)
    const before = await settledCpu(pid)
    await sendMany(send, url, MEASURED)
    return { cold, warm: ((await settledCpu(pid)) - before) / MEASURED }
  } finally {
    await miniflare.dispose()
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

/** The ids of the runtimes that this process has started: proc_pid_children(5). */
function runtimes(): number[] {
  const { pid } = process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const isRuntime = (id: string) =>
    basename(readFileSync(`/proc/${id}/comm`, 'utf8').trim()) === 'workerd'
  return children.split(' ').filter(Boolean).filter(isRuntime).map(Number)
}

/** Returns the CPU time of a process in milliseconds, once it rests, or after three seconds. */
async function settledCpu(pid: number): Promise<number> {
  let time = cpuOf(pid)
  let resting = 0
  for (let looks = 0; looks < 200 && resting < 3; looks++) {
    await sleep(15)
    const now = cpuOf(pid)
    resting = now - time < 0.2 ? resting + 1 : 0
    time = now
  }
  return time
}

/** The CPU time of all threads of a process: proc_pid_schedstat, in nanoseconds. */
function cpuOf(pid: number): number {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [time = 0] = readFileSync(
      `/proc/${pid}/task/${thread}/schedstat`,
      'utf8',
    ).split(' ')
    return Number(time)
  })
  return times.reduce((sum, time) => sum + time, 0) / 1e6
}

const lowerQuartile = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? 0

/** Measures all subjects in turn, forth and back. */
async function compare(subjects: Record<string, Subject>) {
  const kinds = Object.entries(subjects).flatMap(([name, subject]) =>
    Object.entries(subject.requests).map(([request, send]) => {
      return { name: `${request} of ${name}`, subject, send, measured: [] as Figures[] }
    }),
  )
  for (let at = 0; at < PROCESSES; at++) {
    for (const { subject, send, measured } of at % 2 ? kinds.toReversed() : kinds) {
      measured.push(await measure(subject, send))
    }
  }
  const figures = kinds.map(({ name, measured }) => {
    const cold = lowerQuartile(measured.map((one) => one.cold))
    return [name, { cold, warm: lowerQuartile(measured.map((one) => one.warm)) }] as const
  })
  return new Map(figures)
}

/** The ratios of the service to another: of all CPU time, and cold beyond the constant Worker. */
function ratiosOf(figures: Map<string, Figures>, request: string, other: string) {
  const service = figures.get(`${request} of service`)
  const base = figures.get('any of constant')
  const compared = figures.get(`${request} of ${other}`) ?? figures.get(`any of ${other}`)
  if (!service || !base || !compared) return {}
  const beyond = (service.cold - base.cold) / (compared.cold - base.cold)
  const text = other === 'beside' ? ` (beyond constant ${beyond.toFixed(2)})` : ''
  return {
    [`cold ÷ ${other}`]: (service.cold / compared.cold).toFixed(2) + text,
    [`warm ÷ ${other}`]: (service.warm / compared.warm).toFixed(2),
  }
}

await runCommand(
  { verb: 'measure', usage: USAGE, options: { beside: TEXT } },
  async ({ beside }) => {
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
      const subjects = {
        constant: constant(service.stateDir),
        service,
        ...(beside && { beside: await build(resolveFromCallerCwd(beside)) }),
        handwritten: handwritten(service),
      }
      const figures = await compare(subjects)
      const others = Object.keys(subjects).filter((name) => name !== 'service')
      const rows = Object.keys(service.requests).map((request) => [
        request,
        Object.assign({}, ...others.map((other) => ratiosOf(figures, request, other))),
      ])
      console.table(Object.fromEntries(rows))
    } finally {
      for (const { remove } of states) remove()
    }
  },
)
