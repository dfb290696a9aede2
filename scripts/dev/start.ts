import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { watch } from 'chokidar'
import { DEMO_ADMINISTRATOR, logIn } from '../commands/provisioning/demo.ts'
import { FLAG, runCommand } from '../lib/command-line.ts'
import { configurationProblems } from '../lib/configuration-problems.ts'
import { insertAdministrator, withLocalDatabase } from '../lib/database.ts'
import { freePort, HOST } from '../lib/local-run.ts'
import { buildWorker, builtWorker, QUIET, serve, TERMINAL } from '../lib/local-server.ts'
import {
  localVariables,
  refuseLostSecrets,
  type Variables,
} from '../lib/local-settings.ts'
import { localStateDir, lockStateDir, stateFiles } from '../lib/state-folder.ts'
import { createDemoData } from './demo-data.ts'
import { welcome } from './welcome.ts'
import { openDatabase } from '#database/client.ts'

const USAGE = `Usage: npm start, or npm run dev to restart when a file of src changes, and to see
  the messages of exceptions
Serves the service locally until Ctrl-C. An empty database gets the demo data.
  PORT=8787                  the port
  STATE_DIR=.wrangler/state  the folder of the local database
Settings come from wrangler.toml, then .dev.vars, then the shell.`

const SETTLING_MS = 100
/** Instead of every minute, so that emailed links appear at once. */
const CRON_INTERVAL_MS = 1000

await runCommand({ verb: 'start', usage: USAGE, options: { watch: FLAG } }, start)
if (process.exitCode) {
  process.exit()
}

async function start({ watch: isWatched }: { watch: boolean }): Promise<void> {
  const stateDir = localStateDir()
  const port = Number(process.env.PORT || '8787')
  lockStateDir(stateDir)
  await refusePort(port)
  const url = new URL(`http://${HOST}:${port}`).origin
  const problems = configurationProblems()
  if (problems.length > 0) throw new Error(problems.join('\n'))
  refuseLostSecrets(stateFiles(stateDir).database)
  const variables = localVariables(url)
  const { build } = stateFiles(stateDir)
  const hasDemo = await prepare(stateDir, variables, isWatched)

  console.log('Starting …')
  const run = () => serve(builtWorker(stateDir, variables), stateDir, TERMINAL, port)
  let server = await run()
  onSignal(() => server.miniflare.dispose())
  // the Worker logs its failures; a call interrupted by a restart is not one
  setInterval(() => server.runCronTrigger().catch(() => undefined), CRON_INTERVAL_MS)
  if (isWatched) {
    await onChange('src', async () => {
      await buildWorker(build, isWatched)
      await server.miniflare.dispose()
      server = await run()
    })
  }
  console.log(welcome(`${url}/v1`, hasDemo))
}

/** Builds the Worker, and fills an empty database; returns whether it has the demo data. */
async function prepare(
  stateDir: string,
  variables: Variables,
  isDevelopment: boolean,
): Promise<boolean> {
  console.log(`Building the Worker, and preparing the database in ${stateDir} …`)
  const { build, pendingDemo } = stateFiles(stateDir)
  const [hasDemo] = await Promise.all([
    withLocalDatabase(stateDir, (database) => prepareDemo(database, pendingDemo)),
    buildWorker(build, isDevelopment),
  ])
  if (existsSync(pendingDemo)) {
    await bringInDemoData(stateDir, variables)
  }
  rmSync(pendingDemo, { force: true })
  return hasDemo
}

function onSignal(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await end()
      process.exit(0)
    })
  }
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

/** Creates the demo data through the API; after an interruption, the next start continues. */
async function bringInDemoData(stateDir: string, variables: Variables): Promise<void> {
  console.log('Adding the demo data …')
  // settings that the demo data would not fit are overridden
  const settings = {
    ...variables,
    JWT_TTL_SECONDS: '3600',
    SESSION_TTL_SECONDS: '',
    REQUIRE_EMAIL_VERIFICATION: 'false',
    REQUIRE_SECOND_FACTOR: 'false',
  }
  const { url, miniflare } = await serve(builtWorker(stateDir, settings), stateDir, QUIET)
  try {
    const baseUrl = new URL('v1', url).href
    const token = await logIn(baseUrl, DEMO_ADMINISTRATOR.email)
    await createDemoData({ baseUrl, token })
  } finally {
    await miniflare.dispose()
  }
}

/** Restarts whenever files of a folder change, once at a time, and prints failures. */
async function onChange(folder: string, restart: () => Promise<void>): Promise<void> {
  let done = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let news = 'Restarted.'
  const run = async () => {
    try {
      await restart()
      console.log(news)
      news = 'Restarted.'
    } catch (error) {
      console.error((error as Error).message)
      news = 'Mended, and restarted.'
    }
  }
  const generated = join(folder, 'generated') // each build writes into it
  const ignored = (path: string) => relative(generated, path).split(sep)[0] !== '..'
  const watcher = watch(folder, { ignored, ignoreInitial: true }).on('all', () => {
    clearTimeout(timer) // several files saved at once are one change
    timer = setTimeout(() => {
      done = done.then(run)
    }, SETTLING_MS)
  })
  await once(watcher, 'ready')
}

/** @throws if it is no port, or not free */
async function refusePort(port: number): Promise<void> {
  await freePort(port).catch(({ code }: NodeJS.ErrnoException) => {
    const reason =
      code === 'EADDRINUSE'
        ? 'is in use, perhaps by the workerd of a killed npm start'
        : `cannot be used (${code})`
    throw new Error(`port ${port} ${reason}. Choose another: PORT=8788 npm start`)
  })
}
