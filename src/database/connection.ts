import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { tellingFaults } from './faults.ts'
import { retrying } from './retries.ts'
import { type Around, aroundRoundTrips, type Statements } from './round-trips.ts'

export type Database = ReturnType<typeof openDatabase>

/**
 * The database as every query uses it. It costs nothing until a statement runs.
 *
 * @param watching is done around each round trip, also around one that is tried again
 */
export function openDatabase(statements: Statements, watching: Around = (trip) => trip()) {
  const around: Around = (trip) => retrying(() => watching(() => tellingFaults(trip)))
  // Drizzle uses no more of a binding than its statements
  return drizzle(aroundRoundTrips(statements, around) as D1Database)
}

/** Asks the database for nothing; throws where it does not answer. */
export async function ping(db: Database): Promise<void> {
  await db.run(sql`select 1`)
}
