import { createServer } from 'node:net'
import { DEMO_PASSWORD, demoDocument } from './lib/demo.ts'
import { EmailLog } from './lib/email-log.ts'
import { applyMigrations, DEFAULT_STATE_DIR, serve, withLocalDatabase } from './lib/local-server.ts'
import { localVariables } from './lib/local-settings.ts'
import { applyDocument } from './provisioning/apply.ts'

const HOST = '127.0.0.1'

try {
  await start()
} catch (error) {
  console.error(`Cannot start: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}

/** Serves the service locally, with demo data in an empty database, until Ctrl-C. */
async function start(): Promise<void> {
  const stateDir = process.env.STATE_DIR || DEFAULT_STATE_DIR
  const port = portOf(process.env.PORT || '8787')
  await assertFree(port)
  const variables = localVariables()

  console.log('Preparing the database and the Worker …')
  await applyMigrations(stateDir)
  const hasDemo = await withLocalDatabase(stateDir, provisionDemo)
  const server = await serve({ port, stateDir, variables, log: new EmailLog() })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await server.stop()
      process.exit(0)
    })
  }
  console.log(welcome(`http://${HOST}:${port}/v1`, hasDemo))
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new Error(`PORT must be 1 to 65535, not "${text}".`)
  return port
}

async function assertFree(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
      .once('error', ({ code }: NodeJS.ErrnoException) => {
        const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
        reject(new Error(`port ${port} ${reason}. Choose another with PORT=8788 npm start.`))
      })
      .listen(port, HOST, () => probe.close(() => resolve()))
  })
}

/** Lays the demo data into an empty database; tells whether the demo users are there. */
async function provisionDemo(database: D1Database): Promise<boolean> {
  const demo = demoDocument()
  const isEmpty = (await database.prepare('select 1 from users limit 1').first()) === null
  if (isEmpty) await applyDocument(database, demo)
  const administrator = demo.administrators[0]?.email ?? null
  return (await database.prepare('select 1 from users where email = ?').bind(administrator).first()) !== null
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
  return `\nServing on ${baseUrl}. Ctrl-C ends it.\n${hasDemo ? demo : ''}`
}
