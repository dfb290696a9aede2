import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import autocannon, { type Request } from 'autocannon'
import * as z from 'zod/mini'
import {
  DEMO_ADMINISTRATOR,
  DEMO_PASSWORD,
  logIn,
} from '../commands/provisioning/demo.ts'
import { create, readList } from '../commands/service/service-client.ts'
import { FLAG, resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { workerOptions } from '../lib/configuration.ts'
import { builtWorker, QUIET, serve } from '../lib/local-server.ts'
import { stateFiles } from '../lib/state-folder.ts'
import { startService, temporaryState } from './service-process.ts'

const USAGE = `Usage: npm run bench -- [--only NAME] [--beside FOLDER]
       npm run bench -- --latency
Compares the service with constant Workers, a hand-written one and another checkout. Only ratios
within a run are comparable. Linux only.
  --only     one comparison: list, search, cover, informer, completion
  --beside   the folder of another checkout, after npm ci
  --latency  the time to the first byte with a database far away, and with the Worker beside it`

type Server = { name: string; url: URL; stop(): Promise<void> }
type Subject = { name: string; only?: string[]; start(): Promise<Server> }

/** Requests a second as the client sees them, and the CPU of the server for one in milliseconds. */
type Figures = { speed: number; cpu: number }

const COMPARISONS: Record<string, (service: URL) => Promise<Request> | Request> = {
  list: () => ({ path: LIST }),
  search: distinctSearches,
  cover,
  informer,
  completion,
}
const LIST = '/v1/dioceses'
const CONNECTIONS = [1, 32]
const workersDir = join(import.meta.dirname, 'bench')

/** Signs the tokens of all servers, so that the hand-written Worker can verify them. */
const JWT_SECRET = crypto.randomUUID()

// The servers.

/** Serves a Worker with a copy of the database in a state folder. */
async function startWorker(
  name: string,
  worker: Parameters<typeof serve>[0],
  stateDir?: string,
): Promise<Server> {
  const copy = temporaryState()
  if (stateDir) {
    const [from = '', to = ''] = [stateDir, copy.stateDir].map(
      (dir) => stateFiles(dir).database,
    )
    cpSync(from, to, { recursive: true })
  }
  const { url, miniflare } = await serve(worker, copy.stateDir, QUIET)
  return { name, url, stop: () => miniflare.dispose().finally(copy.remove) }
}

/** A checkout of the service, as its own `npm start` built it in a state folder. */
const checkout = (name: string, stateDir: string, folder: string): Subject => ({
  name,
  start: () => startWorker(name, builtWorker(stateDir, { JWT_SECRET }, folder), stateDir),
})

/** The limit of the runtime: a Worker that shares nothing with the service. */
function constant(name: string, headers: Record<string, string>): Subject {
  const body = JSON.stringify({ data: 'x'.repeat(3_000) }) // as long as a page of a list
  const script = `export default {
    fetch: () => new Response(${JSON.stringify(body)}, { headers: ${JSON.stringify(headers)} }),
  }`
  const worker = { compatibilityDate: '2026-01-01', modules: true as const, script }
  return { name, start: () => startWorker(name, worker) }
}

/** The headers that the service itself gives a list. */
async function listHeaders(service: Subject): Promise<Record<string, string>> {
  const { url, stop } = await service.start()
  const { headers } = await fetch(new URL(LIST, url))
  await stop()
  const ofConnection = ['content-length', 'transfer-encoding', 'date', 'connection']
  return Object.fromEntries([...headers].filter(([name]) => !ofConnection.includes(name)))
}

/** The cover of the same rows, written for speed alone. */
function handwritten(stateDir: string): Subject {
  const { d1Databases, bindings } = workerOptions()
  const worker = {
    compatibilityDate: '2026-01-01',
    modulesRoot: workersDir,
    modules: [{ type: 'ESModule' as const, path: join(workersDir, 'handwritten.js') }],
    d1Databases,
    bindings: { JWT_SECRET, COVER_TEXTS: bindings?.COVER_TEXTS ?? {} },
  }
  const name = 'handwritten'
  return { name, only: ['cover'], start: () => startWorker(name, worker, stateDir) }
}

// The comparison of speed.

/** Each of the starts, and each of its rounds, measures every subject, for these seconds. */
const STARTS = 4
const ROUNDS = 4
const ROUND = { duration: 0.4 }
const WARM_UP = { duration: 1.5 }

/** Measures all subjects in turn, forth and back; a ratio is the median of all rounds. */
async function compare(name: string, subjects: Subject[]) {
  const able = subjects.filter(({ only }) => !only || only.includes(name))
  const measured = CONNECTIONS.map(() => [] as Record<string, Figures>[])

  for (let start = 0; start < STARTS; start++) {
    const servers: (Server & { pids: number[]; request: Request })[] = []
    try {
      for (const subject of able) {
        const others = childPids()
        const server = await subject.start()
        const pids = childPids().filter((pid) => !others.includes(pid))
        const hasOwnData = ['service', 'beside'].includes(server.name)
        const request = hasOwnData
          ? await COMPARISONS[name]?.(server.url)
          : servers[0]?.request
        servers.push({ ...server, pids, request: request ?? {} })
      }
      for (const server of servers) await load(server, 32, WARM_UP)
      for (const [index, connections] of CONNECTIONS.entries()) {
        for (let at = 0; at < ROUNDS; at++) {
          const figures: Record<string, Figures> = {}
          for (const server of at % 2 ? servers.toReversed() : servers) {
            figures[server.name] = await load(server, connections, ROUND)
          }
          measured[index]?.push(figures)
        }
      }
    } finally {
      for (const { stop } of servers) await stop()
    }
  }
  return measured.map((figures, index) => ({
    comparison: name,
    connections: CONNECTIONS[index],
    ...ratiosOf(figures, able.slice(1)),
  }))
}

/** The service's ratios to the others, in brackets those of the CPU. Higher is better. */
function ratiosOf(rounds: Record<string, Figures>[], others: Subject[]) {
  const ratios = others.map(({ name }) => {
    const ratio = (of: (service: Figures, other: Figures) => number) =>
      median(
        rounds.map((round) => of(round.service as Figures, round[name] as Figures)),
      ).toFixed(2)
    const speed = ratio((service, other) => service.speed / other.speed)
    const cpu = ratio((service, other) => other.cpu / service.cpu)
    return [`to ${name}`, `${speed} (${cpu})`]
  })
  return Object.fromEntries(ratios) as Record<string, string>
}

/**
 * Sends requests over persistent connections, each as soon as the previous response is complete.
 * @throws if a response is not a 2xx, or a connection breaks off
 */
async function load(
  { url, pids, request }: { url: URL; pids: number[]; request: Request },
  connections: number,
  length: { duration: number },
): Promise<Figures> {
  const before = cpuMilliseconds(pids)
  const result = await autocannon({
    url: url.origin,
    requests: [request],
    connections,
    sampleInt: 50, // how often it checks the duration
    ...length,
  })
  const count = result['2xx']
  if (result.non2xx + result.errors > 0 || count === 0) {
    throw new Error(`${JSON.stringify(result.statusCodeStats)}, errors: ${result.errors}`)
  }
  return { speed: count / result.duration, cpu: (cpuMilliseconds(pids) - before) / count }
}

/** The child processes of this one: proc_pid_children(5). */
function childPids(): number[] {
  const { pid } = process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** The CPU time of processes: utime and stime of proc_pid_stat(5), in ticks of 10 ms. */
function cpuMilliseconds(pids: number[]): number {
  const ticks = pids.flatMap((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
  })
  return ticks.reduce((sum, time) => sum + time, 0) * 10
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

// The requests.

const authorizationOf = (token: string) => ({ Authorization: `Bearer ${token}` })
const baseUrlOf = (service: URL) => new URL('v1', service).href
const administratorToken = (service: URL) =>
  logIn(baseUrlOf(service), DEMO_ADMINISTRATOR.email)

async function cover(service: URL): Promise<Request> {
  const token = await logIn(baseUrlOf(service), 'ana@example.org')
  return { path: '/v1/cover', headers: authorizationOf(token) }
}

const withId = z.object({ id: z.string() })
const processItem = z.object({
  groups: z.array(z.object({ id: z.string(), questionnaires: z.array(withId) })),
})

/** New informers of a group, and a questionnaire of it. */
async function newInformers(service: URL, count: number) {
  const baseUrl = baseUrlOf(service)
  const token = await administratorToken(service)
  const processes = await readList({ baseUrl, token }, '/processes', processItem)
  const groups = processes.flatMap((process) => process.groups)
  const group = groups.find(({ questionnaires }) => questionnaires.length > 0)
  const body = { first_name: 'Nome', group_id: group?.id }
  const ids: string[] = []
  while (ids.length < count) {
    ids.push((await create({ baseUrl, token }, '/informers', body, withId)).id)
  }
  return { token, ids, questionnaireId: group?.questionnaires[0]?.id }
}

async function informer(service: URL): Promise<Request> {
  const { token, ids } = await newInformers(service, 1)
  return { path: `/v1/informers/${ids[0]}`, headers: authorizationOf(token) }
}

/** Records completions of one informer after another, then takes them back, and so on. */
async function completion(service: URL): Promise<Request> {
  const count = 50 // more than there are connections
  const { token, ids, questionnaireId } = await newInformers(service, count)
  let sent = 0
  const setupRequest = (request: Request): Request => {
    const id = ids[sent % count]
    const method = Math.floor(sent / count) % 2 ? 'DELETE' : 'PUT'
    sent += 1
    return {
      ...request,
      method,
      path: `/v1/informers/${id}/questionnaires/${questionnaireId}`,
    }
  }
  return { headers: authorizationOf(token), setupRequest }
}

/** Searches a list for its names, never twice by the same text: the case of letters varies. */
async function distinctSearches(service: URL): Promise<Request> {
  const response = await fetch(new URL(`${LIST}?per_page=100`, service))
  const { data } = (await response.json()) as { data: { name: string }[] }
  let sent = 0
  const setupRequest = (request: Request): Request => {
    const { name = '' } = data[sent % data.length] ?? {}
    let bits = Math.floor(sent / data.length)
    sent += 1
    const search = name.toLowerCase().replace(/\p{L}/gu, (letter) => {
      const isUpper = bits % 2
      bits = Math.floor(bits / 2)
      return isUpper ? letter.toUpperCase() : letter
    })
    return { ...request, path: `${LIST}?search=${encodeURIComponent(search)}` }
  }
  return { setupRequest }
}

// The time to the first byte.

/** Fewer than the logins that one identifier may try in a minute. */
const LATENCY_ROUNDS = 7

/** From São Paulo: a round trip to the database, or to a Worker beside it. */
const PLACES = {
  'near the caller': { TRIP_MS: '115', REQUEST_MS: '0' },
  'beside the database': { TRIP_MS: '5', REQUEST_MS: '115' },
}

/** Returns the median time of each request in milliseconds, for both places. */
async function compareLatencies(stateDir: string) {
  const table: Record<string, Record<string, number>> = {}
  for (const [place, delays] of Object.entries(PLACES)) {
    const built = builtWorker(stateDir, { JWT_SECRET, ...delays })
    const path = join(built.modulesRoot, 'distant.js')
    const contents = readFileSync(join(workersDir, 'distant.js'), 'utf8')
    const modules = [{ type: 'ESModule' as const, path, contents }, ...built.modules]
    const { url, stop } = await startWorker(place, { ...built, modules }, stateDir)
    try {
      for (const [name, send] of Object.entries(await latencyRequests(url))) {
        await send() // warms up
        const times: number[] = []
        for (let at = 0; at < LATENCY_ROUNDS; at++) {
          const started = performance.now()
          const response = await send()
          times.push(performance.now() - started)
          if (!response.ok) throw new Error(`${name}: ${response.status}`)
          await response.arrayBuffer()
        }
        table[name] = { ...table[name], [place]: Math.round(median(times)) }
      }
    } finally {
      await stop()
    }
  }
  return table
}

async function latencyRequests(service: URL) {
  const { token, ids } = await newInformers(service, 1)
  const { path: coverPath, headers: coverHeaders } = await cover(service)
  const send = (path: string, headers: object, body?: object) =>
    fetch(new URL(path, service), {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: body ? JSON.stringify(body) : null,
    })
  const authorization = authorizationOf(token)
  const person = { first_name: 'Nome' }
  const { email } = DEMO_ADMINISTRATOR
  return {
    // its token makes it miss the list in memory
    'lookup that is in no cache': () => send(LIST, coverHeaders ?? {}),
    'GET /cover': () => send(coverPath ?? '', coverHeaders ?? {}),
    'POST /auth/login': () =>
      send('/v1/auth/login', {}, { email, password: DEMO_PASSWORD }),
    'GET /informers/{informer}': () => send(`/v1/informers/${ids[0]}`, authorization),
    'POST /informers': () => send('/v1/informers', authorization, person),
    'POST /informers with a key': () =>
      send(
        '/v1/informers',
        { ...authorization, 'Idempotency-Key': crypto.randomUUID() },
        person,
      ),
  }
}

// The command.

const options = { only: TEXT, beside: TEXT, latency: FLAG }

await runCommand({ verb: 'measure', usage: USAGE, options }, async (given) => {
  const { only, beside, latency } = given
  const names = Object.keys(COMPARISONS).filter((name) => !only || name === only)
  if (names.length === 0) {
    throw new Error(
      `no comparison is named ${only}: ${Object.keys(COMPARISONS).join(', ')}.`,
    )
  }

  console.log('Building …')
  const states: ReturnType<typeof temporaryState>[] = []
  const build = async (folder: string) => {
    const state = temporaryState()
    states.push(state)
    const running = await startService({ STATE_DIR: state.stateDir }, 'start', folder)
    await running.interrupt()
    return state.stateDir
  }
  try {
    const stateDir = await build('.')
    if (latency) {
      console.table(await compareLatencies(stateDir))
      return
    }
    const service = checkout('service', stateDir, '.')
    const subjects = [service]
    if (beside) {
      const folder = resolveFromCallerCwd(beside)
      subjects.push(checkout('beside', await build(folder), folder))
    }
    subjects.push(constant('constant', { 'Content-Type': 'application/json' }))
    subjects.push(constant('constant with headers', await listHeaders(service)))
    subjects.push(handwritten(stateDir))
    for (const name of names) console.table(await compare(name, subjects))
  } finally {
    for (const { remove } of states) remove()
  }
})
