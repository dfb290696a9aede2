import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { workerOptions } from '../../lib/configuration.ts'
import { buildWorker } from '../../lib/local-server.ts'
import {
  type Checkout,
  copyDatabase,
  JWT_SECRET,
  type Running,
  startWorker,
  type Subject,
  workerFile,
} from './subjects.ts'

const FASTIFY = ['fastify@5.12.8', '@fastify/jwt@10.2.8', 'better-sqlite3@12.11.1']
const INSTALL_TIMEOUT_MS = 5 * 60_000

const fileOf = (name: string) => join(import.meta.dirname, name)

/** The cover of the same rows, written without the service. */
export async function prepareBaselines({ stateDir }: Checkout): Promise<Subject[]> {
  const tutorial = join(stateDir, 'tutorial')
  await buildWorker(tutorial, [fileOf('tutorial.ts')])
  const fastify = await prepareFastify(stateDir)
  return [
    baseline('handwritten', () => startFile(fileOf('handwritten.js'), stateDir)),
    baseline('tutorial', () => startFile(join(tutorial, 'tutorial.js'), stateDir)),
    ...(fastify ? [baseline('fastify', fastify)] : []),
  ]
}

const baseline = (name: string, start: Subject['start']): Subject => ({
  name,
  isService: false,
  only: 'cover',
  start,
})

function startFile(path: string, stateDir: string): Promise<Running> {
  const { d1Databases, bindings } = workerOptions()
  const COVER_TEXTS = bindings?.COVER_TEXTS ?? {}
  const own = { d1Databases, bindings: { JWT_SECRET, COVER_TEXTS } }
  return startWorker({ ...workerFile(path), ...own }, stateDir)
}

/** Installs Fastify with the Node of the machine, whose headers better-sqlite3 compiles with. */
async function prepareFastify(stateDir: string): Promise<Subject['start'] | null> {
  const folder = join(stateDir, 'fastify')
  const paths = process.env.PATH?.split(delimiter) ?? []
  const PATH = paths.filter((path) => !path.includes('node_modules')).join(delimiter)
  const env = { ...process.env, PATH }
  console.log('Installing Fastify …')
  const install = ['install', '--prefix', folder, ...FASTIFY]
  try {
    await promisify(execFile)('npm', install, { env, timeout: INSTALL_TIMEOUT_MS })
  } catch (error) {
    console.log(`Fastify is left out, because it cannot be installed: ${error}`)
    return null
  }
  const server = join(folder, 'server.mjs')
  cpSync(fileOf('fastify.js'), server)
  return () => startFastify(server, stateDir, env)
}

/** Serves a copy of the database in a process of Node, which prints its address. */
async function startFastify(
  server: string,
  stateDir: string,
  env: NodeJS.ProcessEnv,
): Promise<Running> {
  const copy = copyDatabase(stateDir)
  const files = globSync('v3/d1/*/*.sqlite', { cwd: copy.stateDir })
  const file = files.find((path) => !path.endsWith('metadata.sqlite')) ?? ''
  const texts = JSON.stringify(workerOptions().bindings?.COVER_TEXTS)
  const node = spawn('node', [server, join(copy.stateDir, file), JWT_SECRET, texts], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = await once(createInterface(node.stdout), 'line')
  const stop = async () => {
    node.kill()
    await once(node, 'exit')
    copy.remove()
  }
  return { url: new URL(url), stop }
}
