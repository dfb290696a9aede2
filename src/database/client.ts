import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { DatabaseError } from './database-error.ts'
import { withRetries } from './retries.ts'

/** A D1 binding or a session of it. */
type D1Client = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/** Wraps a round trip to the database. */
export type Interceptor = <Result>(query: () => Promise<Result>) => Promise<Result>

export type Database = ReturnType<typeof openDatabase>

/**
 * Opens the database: failures become `DatabaseError`s, and transient ones are retried. Makes no
 * round trip.
 * @param stats counts the round trips, including retries
 */
export function openDatabase(client: D1Client, stats = { roundTrips: 0 }) {
  const attempt: Interceptor = (query) => {
    stats.roundTrips += 1
    return withDatabaseErrors(query)
  }
  const intercepted = interceptQueries(client, (query) =>
    withRetries(() => attempt(query)),
  )

  // Drizzle uses only `prepare` and `batch` of a binding, but its type asks for all of it
  return drizzle(intercepted as D1Database)
}

/** Checks that the database responds. @throws {DatabaseError} if it does not */
export async function ping(db: Database): Promise<void> {
  await db.run(sql`select 1`)
}

/** Wraps each round trip of a client in an interceptor. */
export function interceptQueries(client: D1Client, intercept: Interceptor): D1Client {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const originalOf = (statement: D1PreparedStatement) =>
    originals.get(statement) ?? statement

  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      run: () => intercept(() => statement.run()),
      all: () => intercept(() => statement.all()),
      raw: () => intercept(() => statement.raw()),
    } as D1PreparedStatement // all that Drizzle uses
    originals.set(wrapped, statement)
    return wrapped
  }

  return {
    prepare: (query) => wrap(client.prepare(query)),
    batch: (statements) => intercept(() => client.batch(statements.map(originalOf))),
  }
}

const withDatabaseErrors: Interceptor = async (query) => {
  try {
    return await query()
  } catch (error) {
    throw new DatabaseError(error instanceof Error ? error.message : String(error))
  }
}
