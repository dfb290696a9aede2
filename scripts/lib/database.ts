import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { getPlatformProxy, unstable_splitSqlQuery } from 'wrangler'
import type { Database } from '../../src/database/client.ts'
import { users } from '../../src/database/schema.ts'
import { fold } from '../../src/domain/folding.ts'
import { fullName, initials } from '../../src/domain/names.ts'
import { hashPassword } from '../../src/security/passwords.ts'
import { makeFolder } from './command-line.ts'
import { deployedDatabaseId, readConfiguration, workerOptions } from './configuration.ts'
import { localStateDir, lockStateDir, openStateDir, stateFiles } from './state-folder.ts'

const MIGRATIONS = 'migrations'

type Administrator = {
  first_name: string
  last_name?: string | null
  email: string
  password: string
}
type Work<Result> = (database: D1Database) => Promise<Result>

/**
 * Runs work on the local database, or on the deployed one, which requires a login to Cloudflare.
 */
export async function withDatabase<Result>(
  isRemote: boolean,
  work: Work<Result>,
): Promise<Result> {
  if (!isRemote) {
    const stateDir = localStateDir()
    openStateDir(stateDir)
    return withLocalDatabase(stateDir, work)
  }
  const configPath = writeRemoteConfiguration()
  console.error('Connecting to the deployed database …')
  const { env, dispose } = await getPlatformProxy<Env>({ configPath, persist: false })
  try {
    return await work(env.DB)
  } finally {
    await dispose()
  }
}

/** Writes a configuration that binds only the deployed database, and returns its path. */
function writeRemoteConfiguration(): string {
  const database_id = deployedDatabaseId()
  const { name, account_id, compatibility_date } = readConfiguration()
  const configuration = {
    name,
    account_id,
    compatibility_date,
    d1_databases: [
      {
        binding: 'DB',
        database_id,
        remote: true,
      },
    ],
  }
  makeFolder('.wrangler')
  const path = join('.wrangler', 'remote.json')
  writeFileSync(path, JSON.stringify(configuration))
  return path
}

/** Runs work on the local database, after applying all migrations. */
export async function withLocalDatabase<Result>(
  stateDir: string,
  work: Work<Result>,
): Promise<Result> {
  lockStateDir(stateDir)
  const { compatibilityDate, d1Databases } = workerOptions()
  const worker = {
    modules: true,
    script: '',
    compatibilityDate,
    d1Databases,
    cf: false,
    resourcePersistencePath: stateFiles(stateDir).database,
  } as const
  const miniflare = new Miniflare(convertV4MiniflareOptions(worker))
  try {
    const database = await miniflare.getD1Database('DB')
    await applyMigrations(database)
    return await work(database)
  } finally {
    await miniflare.dispose()
  }
}

/** Wrangler's table of applied migrations. */
const CREATE_TABLE = [
  'create table if not exists d1_migrations (',
  'id integer primary key autoincrement,',
  'name text unique,',
  'applied_at timestamp default current_timestamp not null)',
].join(' ')

/**
 * Applies pending migrations and records them.
 * @throws if the database knows others than the checkout
 */
async function applyMigrations(database: D1Database): Promise<void> {
  await database.exec(CREATE_TABLE)
  const select = database.prepare('select name from d1_migrations')
  const { results } = await select.all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))

  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'))
  const unknown = [...applied].filter((name) => !files.includes(name))
  if (unknown.length > 0) {
    throw new Error(
      `the local database is of another version: it has ${unknown.join(', ')}. ` +
        'npm run reset deletes it; to keep its people, export them with that version.',
    )
  }
  for (const name of files.sort()) {
    if (applied.has(name)) {
      continue
    }
    const text = readFileSync(join(MIGRATIONS, name), 'utf8')
    const statements = unstable_splitSqlQuery(text).map((one) => database.prepare(one))
    const record = database
      .prepare('insert into d1_migrations (name) values (?)')
      .bind(name)
    await database.batch([...statements, record])
  }
}

/** Inserts an administrator: the first one, whom nobody can create by the API. */
export async function insertAdministrator(
  db: Database,
  { password, ...person }: Administrator,
): Promise<void> {
  const name = fullName(person)
  const role_id = sql`(select id from roles where slug = 'administrator')`
  const password_hash = await hashPassword(password)
  await db.insert(users).values({
    ...person,
    id: crypto.randomUUID(),
    role_id,
    name_folded: fold(name),
    initials: initials(name),
    password_hash,
  })
}
