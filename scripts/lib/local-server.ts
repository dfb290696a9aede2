import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, parse, resolve } from 'node:path'
import { convertV4MiniflareOptions, type Json, type Log, Miniflare } from 'miniflare'
import { type GetPlatformProxyOptions, getPlatformProxy, unstable_getMiniflareWorkerOptions } from 'wrangler'

process.env.WRANGLER_LOG ??= 'error' // wrangler's notices are not for who runs these scripts

const CONFIG = 'wrangler.toml'

export type Variables = Record<string, Json>
export const DEFAULT_STATE_DIR = join('.wrangler', 'state')

/** The variables that wrangler.toml binds for local use. */
export function configuredVariables(): Variables {
  return (unstable_getMiniflareWorkerOptions(CONFIG).workerOptions.bindings ?? {}) as Variables
}

/** Applies the migrations that the local database has not had yet. */
export function applyMigrations(stateDir: string): Promise<void> {
  return wrangler(['d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', stateDir])
}

/** Builds a Worker as it is deployed, into a folder and the name of its script. */
export function buildWorker(outDir: string, script = 'src/index.ts'): Promise<void> {
  return wrangler(['deploy', script, '--dry-run', '--env', '', '--outdir', outDir])
}

/** Opens the local database for as long as some work takes. */
export function withLocalDatabase<Result>(
  stateDir: string,
  work: (database: D1Database) => Promise<Result>,
): Promise<Result> {
  return withBinding({ persist: { path: join(stateDir, 'v3') } }, work)
}

async function withBinding<Result>(
  options: GetPlatformProxyOptions,
  work: (database: D1Database) => Promise<Result>,
): Promise<Result> {
  const { env, dispose } = await getPlatformProxy<Env>({ configPath: CONFIG, ...options })
  try {
    return await work(env.DB)
  } finally {
    await dispose()
  }
}

/** Opens the database that a command is for: the deployed one, or the local one with all migrations applied. */
export async function withDatabase<Result>(
  isRemote: boolean,
  work: (database: D1Database) => Promise<Result>,
): Promise<Result> {
  // by the remote bindings of wrangler: whoever runs this has logged in to Cloudflare
  if (isRemote) return withBinding({ environment: 'production', persist: false }, work)
  const stateDir = process.env.STATE_DIR || DEFAULT_STATE_DIR
  await applyMigrations(stateDir)
  return withLocalDatabase(stateDir, work)
}

/**
 * Builds the Worker as it is deployed and serves it on workerd itself, without a proxy in between.
 *
 * @param options.variables what the Worker finds in its environment beside its bindings
 * @param options.log hears what the runtime itself has to say
 * @param options.isQuiet whether what the Worker logs is dropped instead of shown
 */
export async function serve(options: {
  port: number
  stateDir: string
  variables: Variables
  script?: string | undefined
  log?: Log
  isQuiet?: boolean
}) {
  const build = resolve(options.stateDir, 'build')
  const script = options.script ?? 'src/index.ts'
  await buildWorker(build, script)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...unstable_getMiniflareWorkerOptions(CONFIG).workerOptions,
      bindings: options.variables,
      modulesRoot: build,
      modules: [{ type: 'ESModule', path: join(build, `${parse(script).name}.js`) }],
      resourcePersistencePath: resolve(options.stateDir, 'v3'),
      unsafeDirectSockets: [{ host: '127.0.0.1', port: options.port }],
      cf: false,
      ...(options.log ? { log: options.log } : {}),
      ...(options.isQuiet ? { handleStructuredLogs: () => undefined } : {}),
    }),
  )
  const url = await miniflare.unsafeGetDirectURL()
  return { url, stop: () => miniflare.dispose() }
}

/** Runs wrangler; what it says is heard only where it fails. */
async function wrangler(args: string[]): Promise<void> {
  const child = spawn('wrangler', args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false' },
  })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk) => said.push(chunk))
  child.stderr.on('data', (chunk) => said.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`wrangler ${args.join(' ')} failed:\n${Buffer.concat(said)}`)
}
