import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { tellingFaults } from './faults.ts'
import { retrying } from './retries.ts'
import { type Around, aroundRoundTrips, type Statements } from './round-trips.ts'

export type Database = ReturnType<typeof openDatabase>

/**
 * The database as every query uses it. It costs nothing until a statement runs.
 *
 * @param onRoundTrip is told of each round trip, also of one that is tried again
 */
export function openDatabase(statements: Statements, onRoundTrip: () => void = () => undefined) {
  const around: Around = (trip) =>
    retrying(() => {
      onRoundTrip()
      return tellingFaults(trip)
    })
  // Drizzle uses no more of a binding than its statements
  return drizzle(aroundRoundTrips(statements, around) as D1Database)
}

/** Asks the database for nothing; throws where it does not answer. */
export async function ping(db: Database): Promise<void> {
  await db.run(sql`select 1`)
}
