import { randomInt, randomUUID } from 'node:crypto'
import autocannon from 'autocannon'
import { residentKib } from '../lib/child-processes.ts'
import { positiveNumber, runCommand } from '../lib/command-line.ts'
import { configuredVariables } from '../lib/configuration.ts'
import { withLocalDatabase } from '../lib/database.ts'
import { DEMO_PASSWORD, demoDocument, logIn } from '../lib/demo.ts'
import { buildWorker, serve } from '../lib/local-server.ts'
import { stateFiles } from '../lib/local-state.ts'
import { median } from '../lib/median.ts'
import { freePort } from '../lib/ports.ts'
import { temporaryState } from '../lib/service-process.ts'
import { applyDocument } from '../provisioning/apply.ts'

const CONNECTIONS = 32
/** Memory counts as flat while the last third of the run takes at most so much more than the second. */
const MOST_GROWTH = 1.25

const USAGE = `Usage: npm run load -- [--seconds 60]
Sends mixed traffic to a service of its own, and fails on a 5xx, a request without a response, or growing memory.`

const options = { seconds: { type: 'string', default: '60' } } as const
await runCommand({ verb: 'load', usage: USAGE, options }, async ({ seconds }) => {
  const { stateDir, remove } = temporaryState()
  try {
    process.exitCode = (await load(stateDir, positiveNumber(seconds, '--seconds'))) ? 0 : 1
  } finally {
    remove()
  }
})

/** Mixed traffic for a while: no 5xx among the responses, and memory that stays flat. */
async function load(stateDir: string, seconds: number): Promise<boolean> {
  console.log('Building the Worker and preparing the database …')
  const prepare = (database: D1Database) => applyDocument(database, demoDocument())
  await Promise.all([withLocalDatabase(stateDir, prepare), buildWorker(stateFiles(stateDir).build)])
  const server = await serve({
    port: await freePort(),
    stateDir,
    variables: { ...configuredVariables(), JWT_SECRET: randomUUID() },
    isQuiet: true,
  })
  try {
    const url = `${server.url}v1`
    const administrator = await logIn(url, 'admin@example.org')
    const informer = await logIn(url, 'ana@example.org')
    console.log(`Sending requests on ${CONNECTIONS} connections for ${seconds} s …`)
    const memory: number[] = []
    const sampling = setInterval(() => memory.push(residentKib()), 1000)
    const responses = await run(url, seconds, traffic(administrator, informer))
    clearInterval(sampling)
    return report(responses, memory)
  } finally {
    await server.stop()
  }
}

/** Twenty requests, as they come one after another on each connection. */
function traffic(administrator: string, informer: string): autocannon.Request[] {
  const read = (path: () => string, token?: string): autocannon.Request => ({
    method: 'GET',
    setupRequest: (request) => ({ ...request, path: `/v1${path()}`, headers: bearer(token) }),
  })
  const write = (path: string, body: () => object, token?: string): autocannon.Request => ({
    method: 'POST',
    path: `/v1${path}`,
    headers: { 'Content-Type': 'application/json', ...bearer(token) },
    setupRequest: (request) => ({ ...request, body: JSON.stringify(body()) }),
  })
  const entry = () => ({
    version: 'v9.9.9',
    date: '2026-01-31',
    title: randomUUID(),
    description: 'x',
    category: 'Melhoria',
    is_published: true,
  })
  return [
    ...Array.from({ length: 5 }, () => read(() => '/categories')),
    ...Array.from({ length: 4 }, () => read(() => `/categories?search=${randomInt(10_000)}`)),
    read(() => '/categories', informer),
    ...Array.from({ length: 3 }, () => read(() => '/cover', informer)),
    read(() => '/changelogs'),
    read(() => '/changelogs', administrator),
    write('/changelogs', entry, administrator),
    write('/informers', () => ({ first_name: 'Teste', email: `${randomUUID()}@example.org` }), administrator),
    write('/informers', () => ({ cpf: '111' }), administrator),
    write('/auth/login', () => ({ email: `${randomInt(50)}@example.org`, password: DEMO_PASSWORD })),
    read(() => '/cover', 'no token'),
  ]
}

function bearer(token?: string) {
  return token ? { Authorization: `Bearer ${token}` } : {}
}

type Responses = { statuses: Record<string, number>; failed: number; p50: number; p99: number }

function run(url: string, seconds: number, requests: autocannon.Request[]): Promise<Responses> {
  const statuses: Record<string, number> = {}
  return new Promise((resolve, reject) => {
    const options = { url, requests, connections: CONNECTIONS, duration: seconds }
    const instance = autocannon(options, (error, result) => {
      if (error) reject(error)
      else
        resolve({
          statuses,
          failed: result.errors + result.timeouts,
          p50: result.latency.p50,
          p99: result.latency.p99,
        })
    })
    instance.on('response', (_, status) => {
      statuses[status] = (statuses[status] ?? 0) + 1
    })
  })
}

function report({ statuses, failed, p50, p99 }: Responses, memory: number[]): boolean {
  const third = Math.floor(memory.length / 3)
  const growth = median(memory.slice(-third)) / median(memory.slice(third, -third))
  console.table({
    ...Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`responses ${status}`, count])),
    'without a response': failed,
    'p50, p99 (ms)': `${p50}, ${p99}`,
    'memory, MiB': Math.round(median(memory.slice(-third)) / 1024),
    'memory of the last third, to the second': growth.toFixed(2),
  })
  const internalErrors = Object.keys(statuses).filter((status) => Number(status) >= 500)
  return internalErrors.length === 0 && failed === 0 && growth <= MOST_GROWTH
}
