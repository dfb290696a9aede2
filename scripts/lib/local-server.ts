import { execFile } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { convertV4MiniflareOptions, type Log, Miniflare } from 'miniflare'
import { type Variables, workerOptions } from './configuration.ts'
import { stateFiles } from './local-state.ts'
import { HOST } from './ports.ts'

/** Builds the Worker as for deployment. The output of wrangler is shown only on failure. */
export async function buildWorker(outDir: string): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  const env = { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false' }
  await promisify(execFile)('wrangler', ['deploy', '--dry-run', '--outdir', outDir], { env }).catch(
    ({ message, stdout }) => {
      throw new Error(`${message}\n${stdout}`)
    },
  )
}

/** The modules of a built Worker: its code, then its data. */
export function builtModules(outDir: string) {
  const data = readdirSync(outDir).filter((name) => name.endsWith('.bin'))
  return [
    { type: 'ESModule' as const, path: join(outDir, 'index.js') },
    ...data.map((name) => ({ type: 'Data' as const, path: join(outDir, name) })),
  ]
}

/**
 * Serves the Worker that was built in the state folder directly on workerd, without a proxy, with the bindings of
 * wrangler.toml.
 *
 * @param variables the variables and secrets of the Worker
 * @param log receives the log of the runtime
 * @param handleStructuredLogs receives the lines that the Worker logs, which are printed otherwise
 */
export async function serve(
  port: number,
  stateDir: string,
  variables: Variables,
  log: Log,
  handleStructuredLogs?: () => void,
) {
  const { database, build } = stateFiles(resolve(stateDir))
  const { rootPath: _, ...configured } = workerOptions()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...configured,
      bindings: variables,
      modulesRoot: build,
      modules: builtModules(build),
      resourcePersistencePath: database,
      unsafeDirectSockets: [{ host: HOST, port }],
      cf: false,
      log,
      ...(handleStructuredLogs && { handleStructuredLogs }),
    }),
  )
  await miniflare.unsafeGetDirectURL()
  const worker = await miniflare.getWorker()
  return { runCronTrigger: async () => worker.scheduled(), stop: () => miniflare.dispose() }
}
