import { cpSync, readFileSync } from 'node:fs'
import { Log, LogLevel } from 'miniflare'
import { afterAll, beforeAll, inject } from 'vitest'
import {
  DEMO_ADMINISTRATOR,
  DEMO_PASSWORD,
} from '../../scripts/commands/provisioning/demo.ts'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { HOST } from '../../scripts/lib/local-run.ts'
import { builtWorker, serve } from '../../scripts/lib/local-server.ts'
import { localVariables, type Variables } from '../../scripts/lib/local-settings.ts'
import { runSql } from './local-database.ts'
import { askFor } from './on-demand.ts'
import { issueToken } from '#security/jwt.ts'
import { hashPassword } from '#security/passwords.ts'
import { parseSettings, type Settings } from '#settings.ts'

/** A folder with a copy of the state after a first `npm start`. */
export async function copiedDemoState() {
  const made = await askFor(inject('demoState'))
  const state = temporaryState()
  cpSync(made, state.stateDir, { recursive: true })
  return state
}

/** Keeps the texts of the emails that would be sent. */
class EmailLog extends Log {
  texts = ''
  override logWithLevel(_: LogLevel, message: string): void {
    this.texts += message.replace(/^Text: (.+)$/m, (_, file) =>
      readFileSync(file, 'utf8'),
    )
  }
}

const FULL_COST = '{ln:14,r:8,p:5}'
const LOWEST_COST = '{ln:1,r:8,p:5}'

/** The built Worker, which hashes passwords at the lowest cost, as in `password-cost.ts`. */
function workerOf(stateDir: string, settings: Variables) {
  const { modules, ...worker } = builtWorker(stateDir, settings)
  return {
    ...worker,
    modules: modules.map((module) =>
      module.type === 'ESModule'
        ? { ...module, contents: withLowestCost(module.path) }
        : module,
    ),
  }
}

function withLowestCost(path: string): string {
  return readFileSync(path, 'utf8').replace(FULL_COST, LOWEST_COST)
}

/** Gives all demo users a hash of that cost. */
async function lowerCostOfHashes(stateDir: string): Promise<void> {
  const hash = await hashPassword(DEMO_PASSWORD, { ln: 1, r: 8, p: 5 })
  runSql(stateDir, 'update users set password_hash = ?', hash)
}

/**
 * Serves a copy of the demo data as `npm start` does, in this process; a test runs the cron
 * trigger.
 */
export async function serveDemo(variables: Record<string, string> = {}) {
  const { stateDir, remove } = await copiedDemoState()
  const emails = new EmailLog(LogLevel.INFO)
  const logs: string[] = []
  const settings = { ...localVariables(`http://${HOST}`), ...variables }
  const output = {
    log: emails,
    handleStructuredLogs: ({ message }: { message: string }) => void logs.push(message),
  }
  await lowerCostOfHashes(stateDir)
  const token = await administratorToken(
    stateDir,
    parseSettings({ ...settings, EMAIL: {} }),
  )
  const { url, miniflare, runCronTrigger } = await serve(
    workerOf(stateDir, settings),
    stateDir,
    output,
  )
  return {
    stateDir,
    baseUrl: `${url.origin}/v1`,
    token,
    logs,
    emails,
    runCronTrigger,
    database: await miniflare.getD1Database('DB'),
    stop: () => miniflare.dispose().finally(remove),
  }
}

/** An access token of the demo administrator, without the cost of a login. */
async function administratorToken(stateDir: string, settings: Settings) {
  const sql = 'select id, token_version from users where email = ?'
  const [row] = runSql(stateDir, sql, DEMO_ADMINISTRATOR.email)
  const { id, token_version } = row as { id: string; token_version: number }
  const caller = { id, role: 'administrator', tokenVersion: token_version } as const
  return (await issueToken(caller, settings)).token
}

/** What `serveDemo` serves while the tests of a file run, with a token of the administrator. */
export function demoService() {
  const service = {} as Awaited<ReturnType<typeof serveDemo>>
  beforeAll(async () => {
    Object.assign(service, await serveDemo())
  })
  afterAll(() => service.stop?.())
  return service
}
