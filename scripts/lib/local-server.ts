import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
} from 'miniflare'
import { workerOptions } from './configuration.ts'
import { HOST } from './local-run.ts'
import type { Variables } from './local-settings.ts'
import { stateFiles } from './state-folder.ts'
import { runQuietly } from './wrangler.ts'

/** The option of a build for `npm run dev`: readable, and logs the messages of exceptions. */
const DEVELOPMENT = ['--define', 'SHOW_MESSAGES:true', '--minify=false']

/** Builds the Worker, by default as for deployment. */
export async function buildWorker(outDir: string, isDevelopment = false): Promise<void> {
  const options = isDevelopment ? DEVELOPMENT : []
  rmSync(outDir, { recursive: true, force: true })
  await runQuietly('deploy', '--dry-run', '--outdir', outDir, ...options)
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
 * Returns the Worker of a checkout as built in a state folder, with the bindings of wrangler.toml,
 * for `serve`.
 */
export function builtWorker(stateDir: string, variables: Variables, checkout = '.') {
  const { rootPath: _, bindings, ...configured } = workerOptions(checkout)
  const build = resolve(stateFiles(stateDir).build)
  return {
    ...configured,
    bindings: { ...bindings, ...variables },
    modulesRoot: build,
    modules: builtModules(build),
  }
}

type Worker = Partial<V4MiniflareOptions>

// Unstable in Miniflare 5, here alone. `convertV4MiniflareOptions` and its types go when wrangler
// gives the bindings in the new form; `unsafeDirectSockets` would be `host` and `port`, behind
// Miniflare's proxy.
const startMiniflare = (options: object) =>
  new Miniflare(convertV4MiniflareOptions(options as V4MiniflareOptions))

/** Opens the database of a state folder, without a Worker. */
export function openLocalDatabase(stateDir: string): Miniflare {
  const { compatibilityDate, d1Databases } = workerOptions()
  return startMiniflare({
    modules: true,
    script: '',
    compatibilityDate,
    d1Databases,
    cf: false,
    resourcePersistencePath: stateFiles(stateDir).data,
  })
}

type Output = {
  log?: Log
  handleStructuredLogs?: (line: { level: string; message: string }) => void
}

/**
 * Prints emails from the simulated `EMAIL` binding, which logs their headers and the file of the
 * text.
 */
class EmailLog extends Log {
  override logWithLevel(_: LogLevel, message: string): void {
    const file = /^Text: (.+)$/m.exec(message)?.[1]
    if (!file) return

    const headers = message.match(/^(?:To|Subject): .+$/gm)?.join('\n')
    const email = `${headers}\n\n${readFileSync(file, 'utf8')}`
    console.log(`\nEmail that would be sent:\n\n${email.replace(/^(?=.)/gm, '  ')}`)
  }
}

/** Prints a Worker's logs and the emails that it would send. */
export const TERMINAL: Output = { log: new EmailLog(LogLevel.INFO) }

/** Drops a Worker's logs. */
export const QUIET: Output = { handleStructuredLogs: () => undefined }

/**
 * Serves a Worker directly on workerd, on a socket of its own without a proxy, with the database of
 * a state folder.
 * @param output receives the lines that the Worker logs and the emails that it would send
 * @param port by default any that is free
 */
export async function serve(worker: Worker, stateDir: string, output: Output, port = 0) {
  const miniflare = startMiniflare({
    ...worker,
    ...output,
    unsafeDirectSockets: [{ host: HOST, port }],
    resourcePersistencePath: resolve(stateFiles(stateDir).data),
    cf: false,
  })
  const url = await miniflare.unsafeGetDirectURL()
  return {
    url,
    miniflare,
    runCronTrigger: async () => (await miniflare.getWorker()).scheduled(),
  }
}
