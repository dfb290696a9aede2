import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { convertV4MiniflareOptions, type Log, Miniflare, type V4MiniflareOptions } from 'miniflare'
import { type Variables, workerOptions } from './configuration.ts'
import { stateFiles } from './local-state.ts'
import { HOST } from './ports.ts'

/** Builds a Worker as for deployment. The output file is named after the script. */
export function buildWorker(outDir: string, script = 'src/index.ts'): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  return wrangler(['deploy', script, '--dry-run', '--outdir', outDir])
}

/** The modules of a built Worker: its code, then its data. */
export function builtModules(outDir: string, script = 'src/index.ts') {
  const data = readdirSync(outDir).filter((name) => name.endsWith('.bin'))
  return [
    { type: 'ESModule' as const, path: join(outDir, `${parse(script).name}.js`) },
    ...data.map((name) => ({ type: 'Data' as const, path: join(outDir, name) })),
  ]
}

/**
 * Serves the Worker that was built in the state folder, with the bindings of wrangler.toml.
 *
 * @param options.variables the variables and secrets of the Worker
 * @param options.log receives the log of the runtime
 * @param options.isQuiet whether to hide the log of the Worker
 */
export function serve({
  stateDir,
  variables,
  ...options
}: {
  port: number
  stateDir: string
  variables: Variables
  log?: Log
  isQuiet?: boolean
}) {
  const { database, build } = stateFiles(resolve(stateDir))
  return serveWorker(build, builtModules(build), { ...configuredOptions(variables, database), ...options })
}

/** The bindings of wrangler.toml, with the variables and secrets of the Worker and the folder of its database. */
export function configuredOptions(variables: Variables, database: string): Partial<V4MiniflareOptions> {
  const { rootPath: _, ...options } = workerOptions()
  return { ...options, bindings: variables, resourcePersistencePath: database }
}

/** Serves modules directly on workerd, without a proxy; port 0 means any free port. */
export async function serveWorker(
  modulesRoot: string,
  modules: ReturnType<typeof builtModules>,
  { port = 0, isQuiet, ...options }: { port?: number; isQuiet?: boolean } & Partial<V4MiniflareOptions>,
) {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modulesRoot,
      modules,
      unsafeDirectSockets: [{ host: HOST, port }],
      cf: false,
      ...(isQuiet ? { handleStructuredLogs: () => undefined } : {}),
      ...options,
    } as V4MiniflareOptions),
  )
  const url = await miniflare.unsafeGetDirectURL()
  return { url, stop: () => miniflare.dispose() }
}

/** Runs wrangler; its output is shown only on failure. */
async function wrangler(args: string[]): Promise<void> {
  const child = spawn('wrangler', args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false' },
  })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`wrangler ${args.join(' ')} failed:\n${Buffer.concat(output)}`)
}
