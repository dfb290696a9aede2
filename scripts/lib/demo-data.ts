import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { openDatabase } from '../../src/database/client.ts'
import { applyDocument } from '../provisioning/apply.ts'
import { insertAdministrator } from './administrators.ts'
import type { Variables } from './configuration.ts'
import { DEMO_ADMINISTRATOR, demoDocument, logIn } from './demo.ts'
import { QUIET, serve } from './local-server.ts'
import { stateFiles } from './local-state.ts'
import { freePort, HOST } from './ports.ts'

/** Creates the demo administrator in an empty database; returns whether there is one. */
export async function prepareDemo(database: D1Database, stateDir: string): Promise<boolean> {
  const isEmpty = (await database.prepare('select 1 from users limit 1').first()) === null
  if (isEmpty) {
    writeFileSync(stateFiles(stateDir).pendingDemo, '')
    await insertAdministrator(openDatabase(database), { last_name: null, ...DEMO_ADMINISTRATOR })
  }
  const find = database.prepare('select 1 from users where email = ?')
  return (await find.bind(DEMO_ADMINISTRATOR.email).first()) !== null
}

/**
 * Brings the demo data into a database that was empty, by the API, like any other document. An interrupted attempt is
 * continued by the next one.
 * @param variables of the Worker; settings that the demo data would not fit are overridden
 */
export async function bringInDemoData(stateDir: string, variables: Variables): Promise<void> {
  const { pendingDemo } = stateFiles(stateDir)
  if (!existsSync(pendingDemo)) return
  console.log('Adding the demo data …')
  const port = await freePort()
  const settings = { ...variables, JWT_TTL_SECONDS: '3600', REQUIRE_EMAIL_VERIFICATION: 'false' }
  const server = await serve(port, stateDir, settings, QUIET)
  try {
    const baseUrl = `http://${HOST}:${port}/v1`
    const token = await logIn(baseUrl, DEMO_ADMINISTRATOR.email)
    const { refusals } = await applyDocument({ baseUrl, token }, demoDocument())
    if (refusals.length > 0) throw new Error(`the demo data are refused:\n${refusals.join('\n')}`)
  } finally {
    await server.stop()
  }
  rmSync(pendingDemo)
}
