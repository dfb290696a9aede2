import './wrangler-environment.ts'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { getPlatformProxy } from 'wrangler'
import { makeFolder } from './command-line.ts'
import { deployedDatabaseId, readConfiguration } from './configuration.ts'
import { openLocalDatabase } from './local-server.ts'
import { createSecrets } from './local-settings.ts'
import { hasPendingMigrations } from './migrations.ts'
import {
  localStateDir,
  lockStateDir,
  refuseUnwritableDatabase,
  stateFiles,
} from './state-folder.ts'
import { runQuietly } from './wrangler.ts'
import type { Database } from '#database/client.ts'
import { insertUser } from '#database/users/create.ts'
import { hashPassword } from '#security/passwords.ts'

type Administrator = {
  first_name: string
  last_name?: string | null
  email: string
  password: string
}
/** The local database, or the deployed one: of production, or of an environment. */
type Target = { remote: boolean; env?: string | undefined }
type Work<Result> = (database: D1Database) => Promise<Result>

/** Runs work on a database. A deployed one requires a login to Cloudflare. */
export async function withDatabase<Result>(
  { remote, env: environment }: Target,
  work: Work<Result>,
): Promise<Result> {
  if (!remote) return withLocalDatabase(localStateDir(), work)

  const configPath = writeRemoteConfiguration(environment)
  console.error('Connecting to the deployed database …')
  const options = { configPath, environment: '', persist: false }
  const { env, dispose } = await getPlatformProxy<Env>(options)
  try {
    return await work(env.DB)
  } finally {
    await dispose()
  }
}

/** Writes a configuration that binds only the deployed database, and returns its path. */
function writeRemoteConfiguration(env?: string): string {
  const database_id = deployedDatabaseId(env)
  const { name, account_id, compatibility_date } = readConfiguration(env)
  const configuration = {
    name,
    account_id,
    compatibility_date,
    d1_databases: [{ binding: 'DB', database_id, remote: true }],
  }
  makeFolder('.wrangler')
  const path = join('.wrangler', 'remote.json')
  writeFileSync(path, JSON.stringify(configuration))
  return path
}

/** Runs work on the local database, after wrangler has applied all migrations. */
export async function withLocalDatabase<Result>(
  stateDir: string,
  work: Work<Result>,
): Promise<Result> {
  lockStateDir(stateDir)
  refuseUnwritableDatabase(stateDir)
  createSecrets(stateFiles(stateDir).database)
  let miniflare = openLocalDatabase(stateDir)
  try {
    if (await hasPendingMigrations(await miniflare.getD1Database('DB'))) {
      await miniflare.dispose()
      const place = ['--local', '--persist-to', resolve(stateDir)]
      await runQuietly('d1', 'migrations', 'apply', 'DB', ...place)
      miniflare = openLocalDatabase(stateDir)
    }
    return await work(await miniflare.getD1Database('DB'))
  } finally {
    await miniflare.dispose()
  }
}

/** Inserts an administrator: the first one cannot be created through the API. */
export async function insertAdministrator(
  db: Database,
  { password, ...person }: Administrator,
): Promise<void> {
  const id = crypto.randomUUID()
  const password_hash = await hashPassword(password)
  await insertUser(db, 'administrator', { ...person, id, password_hash })
}
