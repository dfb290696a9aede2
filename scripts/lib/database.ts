import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { getPlatformProxy, unstable_splitSqlQuery } from 'wrangler'
import { workerOptions, writeRemoteConfiguration } from './configuration.ts'
import { localStateDir, lockStateDir, stateFiles } from './local-state.ts'

const MIGRATIONS = 'migrations'

type Work<Result> = (database: D1Database) => Promise<Result>

/** Runs work on the deployed or the local database. */
export function withDatabase<Result>(isRemote: boolean, work: Work<Result>): Promise<Result> {
  return isRemote ? withRemoteDatabase(work) : withLocalDatabase(localStateDir(), work)
}

/** Uses wrangler's remote bindings; requires a login to Cloudflare. */
async function withRemoteDatabase<Result>(work: Work<Result>): Promise<Result> {
  const configPath = writeRemoteConfiguration()
  console.error('Connecting to the deployed database …')
  const { env, dispose } = await getPlatformProxy<Env>({ configPath, persist: false })
  try {
    return await work(env.DB)
  } finally {
    await dispose()
  }
}

/** Runs work on the local database, after applying all migrations. */
export async function withLocalDatabase<Result>(stateDir: string, work: Work<Result>): Promise<Result> {
  const release = await lockStateDir(stateDir)
  const { compatibilityDate, d1Databases } = workerOptions()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: '',
      compatibilityDate,
      d1Databases,
      resourcePersistencePath: stateFiles(stateDir).database,
      cf: false,
    }),
  )
  try {
    const database = await miniflare.getD1Database('DB')
    await applyMigrations(database)
    return await work(database)
  } finally {
    await miniflare.dispose()
    release()
  }
}

/** Applies pending migrations and records them in wrangler's table. */
async function applyMigrations(database: D1Database): Promise<void> {
  await database.exec(
    'create table if not exists d1_migrations (id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)',
  )
  const { results } = await database.prepare('select name from d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql') && !applied.has(name))
  for (const name of files.sort()) {
    const statements = unstable_splitSqlQuery(readFileSync(join(MIGRATIONS, name), 'utf8'))
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare('insert into d1_migrations (name) values (?)').bind(name),
    ])
  }
}
