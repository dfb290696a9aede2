import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { makeFolder } from './command-line.ts'
import { type Variables, workerOptions } from './configuration.ts'
import { stateFiles } from './local-state.ts'
import { HOST } from './ports.ts'

/** Builds the Worker as for deployment. The output of wrangler is shown only on failure. */
export async function buildWorker(outDir: string): Promise<void> {
  makeFolder('.wrangler')
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

type Output = { log?: Log; handleStructuredLogs?: (line: { message: string }) => void }

/** Receives what a Worker logs, and drops it. */
export const QUIET: Output = { handleStructuredLogs: () => undefined }

/**
 * Serves the Worker that was built in the state folder directly on workerd, without a proxy, with the bindings of
 * wrangler.toml.
 * @param variables the variables and secrets of the Worker
 * @param output receives the lines that the Worker logs and the emails that it would send, by default the terminal
 */
export async function serve(
  port: number,
  stateDir: string,
  variables: Variables,
  output: Output = { log: new EmailLog(LogLevel.INFO) },
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
      ...output,
    }),
  )
  await miniflare.unsafeGetDirectURL()
  const worker = await miniflare.getWorker()
  return { runCronTrigger: async () => worker.scheduled(), stop: () => miniflare.dispose() }
}

/** Prints emails from the simulated `EMAIL` binding, which logs their headers and the file of the text. */
class EmailLog extends Log {
  override logWithLevel(_: LogLevel, message: string): void {
    const file = /^Text: (.+)$/m.exec(message)?.[1]
    if (!file) return
    const headers = message.match(/^(?:To|Subject): .+$/gm)?.join('\n')
    const email = `${headers}\n\n${readFileSync(file, 'utf8')}`
    console.log(`\nEmail that would be sent:\n\n${email.replace(/^(?=.)/gm, '  ')}`)
  }
}
