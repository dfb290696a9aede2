import { randomInt, randomUUID } from 'node:crypto'
import { residentKib } from '../lib/child-processes.ts'
import { positiveNumber, runCommand } from '../lib/command-line.ts'
import { configuredVariables } from '../lib/configuration.ts'
import { withLocalDatabase } from '../lib/database.ts'
import { DEMO_PASSWORD, demoDocument, logIn } from '../lib/demo.ts'
import { buildWorker, serve } from '../lib/local-server.ts'
import { stateFiles } from '../lib/local-state.ts'
import { median } from '../lib/median.ts'
import { temporaryState } from '../lib/service-process.ts'
import { applyDocument } from '../provisioning/apply.ts'
import { generateLoad, type Load, requestText } from './load-generator.ts'

const CONNECTIONS = 32
/** Maximum ratio of the memory in the last third of the run to that in the second third. */
const MOST_GROWTH = 1.25

const USAGE = `Usage: npm run load -- [--seconds 120]
Sends mixed traffic to a temporary service. Fails on a 5xx, a request without a response, or growing memory.`

const options = { seconds: { type: 'string', default: '120' } } as const
await runCommand({ verb: 'load', usage: USAGE, options }, async ({ seconds }) => {
  const { stateDir, remove } = temporaryState()
  try {
    process.exitCode = (await load(stateDir, positiveNumber(seconds, '--seconds'))) ? 0 : 1
  } finally {
    remove()
  }
})

/** Sends mixed traffic; returns whether there was no 5xx and memory stayed flat. */
async function load(stateDir: string, seconds: number): Promise<boolean> {
  console.log('Building the Worker and preparing the database …')
  const prepare = (database: D1Database) => applyDocument(database, demoDocument())
  await Promise.all([withLocalDatabase(stateDir, prepare), buildWorker(stateFiles(stateDir).build)])
  const server = await serve({
    port: 0,
    stateDir,
    variables: { ...configuredVariables(), JWT_SECRET: randomUUID() },
    isQuiet: true,
  })
  try {
    const url = new URL('v1', server.url).href
    const administrator = await logIn(url, 'admin@example.org')
    const informer = await logIn(url, 'ana@example.org')
    console.log(`Sending requests on ${CONNECTIONS} connections for ${seconds} s …`)
    const memory: number[] = []
    const sampling = setInterval(() => memory.push(residentKib()), 1000)
    const next = traffic(administrator, informer)
    const result = await generateLoad(server.url, next, { connections: CONNECTIONS, seconds })
    clearInterval(sampling)
    return report(result, memory)
  } finally {
    await server.stop()
  }
}

/** Cycles through twenty requests. */
function traffic(administrator: string, informer: string): () => string {
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const read = (path: string, headers = {}) => requestText({ path: `/v1${path}`, headers })
  const write = (path: string, body: object, headers = {}) =>
    requestText({ method: 'POST', path: `/v1${path}`, body, headers })
  const entry = () => ({
    version: 'v9.9.9',
    date: '2026-01-31',
    title: randomUUID(),
    description: 'x',
    category: 'Melhoria',
    is_published: true,
  })
  const requests = [
    ...Array<() => string>(5).fill(() => read('/categories')),
    ...Array<() => string>(4).fill(() => read(`/categories?search=${randomInt(10_000)}`)),
    () => read('/categories', bearer(informer)),
    ...Array<() => string>(3).fill(() => read('/cover', bearer(informer))),
    () => read('/changelogs'),
    () => read('/changelogs', bearer(administrator)),
    () => write('/changelogs', entry(), bearer(administrator)),
    () =>
      write(
        '/informers',
        { first_name: 'Teste', email: `${randomUUID()}@example.org` },
        bearer(administrator),
      ),
    () => write('/informers', { cpf: '111' }, bearer(administrator)),
    () => write('/auth/login', { email: `${randomInt(50)}@example.org`, password: DEMO_PASSWORD }),
    () => read('/cover', bearer('no token')),
  ]
  let turn = 0
  return () => requests[turn++ % requests.length]?.() ?? ''
}

function report({ statuses, failed, p50, p99 }: Load, memory: number[]): boolean {
  const third = Math.floor(memory.length / 3)
  const growth = median(memory.slice(-third)) / median(memory.slice(third, -third))
  console.table({
    ...Object.fromEntries([...statuses].sort().map(([status, count]) => [`responses ${status}`, count])),
    'without a response': failed,
    'p50, p99 (ms)': `${p50.toFixed(0)}, ${p99.toFixed(0)}`,
    'memory, MiB': Math.round(median(memory.slice(-third)) / 1024),
    'memory of the last third, to the second': growth.toFixed(2),
  })
  const hasInternalErrors = [...statuses.keys()].some((status) => status >= 500)
  return !hasInternalErrors && failed === 0 && growth <= MOST_GROWTH
}
