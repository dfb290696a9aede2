import { readdirSync } from 'node:fs'

const FOLDER = 'migrations'

/** Wrangler's table of applied migrations. */
const CREATE_TABLE =
  'create table if not exists d1_migrations (id integer primary key autoincrement, ' +
  'name text unique, applied_at timestamp default current_timestamp not null)'
const SELECT_NAMES = 'select name from d1_migrations'

/** Lists the applied migrations, in a new database too. */
export const LIST_APPLIED = `${CREATE_TABLE}; ${SELECT_NAMES}`

type Applied = { name: string }

const migrationFiles = () => readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))

/**
 * @param output of `wrangler d1 execute --json` for `LIST_APPLIED`
 * @returns the names of applied migrations that the checkout lacks
 */
export function unknownInOutput(output: string): string[] {
  const answers = JSON.parse(output) as { results: Applied[] }[]
  return unknownMigrations(answers.at(-1)?.results ?? [])
}

function unknownMigrations(applied: Applied[]): string[] {
  const files = migrationFiles()
  return applied.map(({ name }) => name).filter((name) => !files.includes(name))
}

/**
 * Returns whether the local database lacks migrations of the checkout.
 * @throws if it has some that the checkout lacks
 */
export async function hasPendingMigrations(database: D1Database): Promise<boolean> {
  await database.exec(CREATE_TABLE)
  const { results } = await database.prepare(SELECT_NAMES).all<Applied>()
  const unknown = unknownMigrations(results)
  if (unknown.length > 0) {
    throw new Error(
      'the local database is of 1.0 or 1.1, or newer than this checkout: ' +
        `it has ${unknown.join(', ')}. ` +
        'Serve it with its own checkout, or delete it with npm run reset.',
    )
  }
  return migrationFiles().length > results.length
}
