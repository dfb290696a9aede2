import { watch } from 'node:fs'
import { runCommand } from './lib/command-line.ts'
import { withLocalDatabase } from './lib/database.ts'
import { bringInDemoData, prepareDemo } from './lib/demo-data.ts'
import { DEMO_PASSWORD } from './lib/demo.ts'
import { buildWorker, serve } from './lib/local-server.ts'
import { localVariables } from './lib/local-settings.ts'
import { localStateDir, lockStateDir, stateFiles } from './lib/local-state.ts'
import { assertFree, HOST } from './lib/ports.ts'

const USAGE = `Usage: npm start, or npm run dev to restart when a file of src changes
Serves the service locally until Ctrl-C. An empty database gets the demo data.
  PORT=8787                  the port
  STATE_DIR=.wrangler/state  the folder of the local database
Settings come from wrangler.toml, then .dev.vars, then the shell.`

const SETTLING_MS = 100
/** Instead of every minute, so that mailed links appear at once. */
const CRON_INTERVAL_MS = 1000
const options = { watch: { type: 'boolean', default: false } } as const
await runCommand({ verb: 'start', usage: USAGE, options }, start)
if (process.exitCode) process.exit()

async function start({ watch: isWatched }: { watch: boolean }): Promise<void> {
  const stateDir = localStateDir()
  const port = parsePort(process.env.PORT || '8787')
  await assertFree(port)
  const url = `http://${HOST}:${port}`
  const variables = localVariables(url)
  await lockStateDir(stateDir)

  console.log(`Building the Worker, and preparing the database in ${stateDir} …`)
  const build = () => buildWorker(stateFiles(stateDir).build)
  const prepare = (database: D1Database) => prepareDemo(database, stateDir)
  const [hasDemo] = await Promise.all([withLocalDatabase(stateDir, prepare), build()])
  await bringInDemoData(stateDir, variables)
  const run = () => serve(port, stateDir, variables)
  console.log('Starting …')
  let server = await run()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await server.stop()
      process.exit(0)
    })
  }
  // the Worker logs its failures; a call that a restart interrupts is none
  setInterval(() => server.runCronTrigger().catch(() => undefined), CRON_INTERVAL_MS)
  console.log(welcome(`${url}/v1`, hasDemo))
  if (!isWatched) return
  onChange('src', async () => {
    await build()
    await server.stop()
    server = await run()
    console.log('Restarted.')
  })
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

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new Error(`PORT must be 1 to 65535, not "${text}".`)
  return port
}

function welcome(baseUrl: string, hasDemo: boolean): string {
  const login = (email: string) =>
    `curl -s ${baseUrl}/auth/login -H 'Content-Type: application/json' -d '{"email":"${email}","password":"${DEMO_PASSWORD}"}'`
  const token = (email: string) => `$(${login(email)} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`
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
