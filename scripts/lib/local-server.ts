import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { convertV4MiniflareOptions, type Log, Miniflare } from 'miniflare'
import { type Variables, workerOptions } from './configuration.ts'
import { stateFiles } from './local-state.ts'

/** Builds a Worker as it is deployed, into a folder and the name of its script. */
export function buildWorker(outDir: string, script = 'src/index.ts'): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  return wrangler(['deploy', script, '--dry-run', '--outdir', outDir])
}

/** The modules of a Worker that was built: its code, then its data. */
export function builtModules(outDir: string, script = 'src/index.ts') {
  const data = readdirSync(outDir).filter((name) => name.endsWith('.bin'))
  return [
    { type: 'ESModule' as const, path: join(outDir, `${parse(script).name}.js`) },
    ...data.map((name) => ({ type: 'Data' as const, path: join(outDir, name) })),
  ]
}

/**
 * Serves the Worker that was built in the folder of the local state, on workerd itself, without a proxy in between.
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
  const { database, build } = stateFiles(resolve(options.stateDir))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...workerOptions(),
      bindings: options.variables,
      modulesRoot: build,
      modules: builtModules(build, options.script),
      resourcePersistencePath: database,
      unsafeDirectSockets: [{ host: '127.0.0.1', port: options.port }],
      cf: false,
      ...(options.log ? { log: options.log } : {}),
      ...(options.isQuiet ? { handleStructuredLogs: () => undefined } : {}),
    }),
  )
  const url = await miniflare.unsafeGetDirectURL()
  return { url, stop: () => miniflare.dispose() }
}

/** Runs wrangler; its output is shown only where it fails. */
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
