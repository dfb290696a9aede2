import { existsSync, rmSync, watch, writeFileSync } from 'node:fs'
import { openDatabase } from '../src/database/client.ts'
import { FLAG, runCommand } from './lib/command-line.ts'
import { localVariables, type Variables } from './lib/configuration.ts'
import { insertAdministrator, withLocalDatabase } from './lib/database.ts'
import { DEMO_ADMINISTRATOR, DEMO_PASSWORD, demoDocument, logIn } from './lib/demo.ts'
import { freePort, HOST } from './lib/local-run.ts'
import { buildWorker, builtWorker, QUIET, serve, TERMINAL } from './lib/local-server.ts'
import { localStateDir, lockStateDir, stateFiles } from './lib/state-folder.ts'
import { applyDocument } from './provisioning/apply.ts'

const USAGE = `Usage: npm start, or npm run dev to restart when a file of src changes
Serves the service locally until Ctrl-C. An empty database gets the demo data.
  PORT=8787                  the port
  STATE_DIR=.wrangler/state  the folder of the local database
Settings come from wrangler.toml, then .dev.vars, then the shell.`

const SETTLING_MS = 100
/** Instead of every minute, so that mailed links appear at once. */
const CRON_INTERVAL_MS = 1000
await runCommand({ verb: 'start', usage: USAGE, options: { watch: FLAG } }, start)
if (process.exitCode) process.exit()

async function start({ watch: isWatched }: { watch: boolean }): Promise<void> {
  const stateDir = localStateDir()
  const port = await parsePort(process.env.PORT || '8787')
  const url = `http://${HOST}:${port}`
  const variables = localVariables(url)
  await lockStateDir(stateDir)

  console.log(`Building the Worker, and preparing the database in ${stateDir} …`)
  const files = stateFiles(stateDir)
  const prepare = (database: D1Database) => prepareDemo(database, files.pendingDemo)
  const [hasDemo] = await Promise.all([
    withLocalDatabase(stateDir, prepare),
    buildWorker(files.build),
  ])
  if (existsSync(files.pendingDemo)) await bringInDemoData(stateDir, variables)
  rmSync(files.pendingDemo, { force: true })
  const run = () => serve(builtWorker(stateDir, variables), stateDir, TERMINAL, port)
  console.log('Starting …')
  let server = await run()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await server.miniflare.dispose()
      process.exit(0)
    })
  }
  // the Worker logs its failures; a call that a restart interrupts is none
  setInterval(() => server.runCronTrigger().catch(() => undefined), CRON_INTERVAL_MS)
  console.log(welcome(`${url}/v1`, hasDemo))
  if (!isWatched) return
  onChange('src', async () => {
    await buildWorker(files.build)
    await server.miniflare.dispose()
    server = await run()
    console.log('Restarted.')
  })
}

/** Creates the demo administrator in an empty database; returns whether there is one. */
async function prepareDemo(database: D1Database, pendingDemo: string): Promise<boolean> {
  const isEmpty = (await database.prepare('select 1 from users limit 1').first()) === null
  if (isEmpty) {
    writeFileSync(pendingDemo, '')
    await insertAdministrator(openDatabase(database), DEMO_ADMINISTRATOR)
  }
  const find = database.prepare('select 1 from users where email = ?')
  return (await find.bind(DEMO_ADMINISTRATOR.email).first()) !== null
}

/** Brings in the demo data by the API, like any other document; the next start continues what an interruption ended. */
async function bringInDemoData(stateDir: string, variables: Variables): Promise<void> {
  console.log('Adding the demo data …')
  // settings that the demo data would not fit are overridden
  const settings = { ...variables, JWT_TTL_SECONDS: '3600', REQUIRE_EMAIL_VERIFICATION: 'false' }
  const { url, miniflare } = await serve(builtWorker(stateDir, settings), stateDir, QUIET)
  try {
    const baseUrl = new URL('v1', url).href
    const token = await logIn(baseUrl, DEMO_ADMINISTRATOR.email)
    const { refusals } = await applyDocument({ baseUrl, token }, demoDocument())
    if (refusals.length > 0) throw new Error(`the demo data are refused:\n${refusals.join('\n')}`)
  } finally {
    await miniflare.dispose()
  }
}

/** Runs work when files of a folder change, one run at a time. Failures are printed. */
function onChange(folder: string, work: () => Promise<void>): void {
  let done = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  watch(folder, { recursive: true }, () => {
    clearTimeout(timer) // saving several files is one change
    timer = setTimeout(() => {
      done = done.then(work).catch(({ message }: Error) => console.error(message))
    }, SETTLING_MS)
  })
}

/** @throws if it is no port, or not free; the message suggests one that is */
async function parsePort(text: string): Promise<number> {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new Error(`PORT must be 1 to 65535, not "${text}".`)
  return freePort(port).catch(async ({ code }: NodeJS.ErrnoException) => {
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
    throw new Error(`port ${port} ${reason}. Choose another: PORT=${await freePort()} npm start`)
  })
}

function welcome(baseUrl: string, hasDemo: boolean): string {
  const login = (email: string) =>
    `curl -s ${baseUrl}/auth/login -H 'Content-Type: application/json' -d '{"email":"${email}","password":"${DEMO_PASSWORD}"}'`
  const token = (email: string) =>
    `$(${login(email)} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`
  const demo = `
Demo users, password ${DEMO_PASSWORD}:
  admin@example.org   administrator
  ana@example.org     informer, two groups, one of them concluded
  bento@example.org   informer, one group, begun
  clara@example.org   informer without a group

Three commands to copy:
  curl '${baseUrl}/categories?search=conego'

  curl ${baseUrl}/cover -H "Authorization: Bearer ${token('ana@example.org')}"

  curl ${baseUrl}/informers -H "Authorization: Bearer ${token('admin@example.org')}" -H 'Content-Type: application/json' -d '{"first_name":"João","last_name":"da Silva Santos"}'
`
  return `\nServing on ${baseUrl}, with its documentation on ${baseUrl}/docs. Ctrl-C ends it.\n${hasDemo ? demo : ''}`
}
