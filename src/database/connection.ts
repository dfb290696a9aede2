import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { withFaults } from './faults.ts'

export type Database = ReturnType<typeof openDatabase>

/** The database as every query uses it. It costs nothing until a statement runs. */
export function openDatabase(session: Pick<D1DatabaseSession, 'prepare' | 'batch'>) {
  return drizzle(withFaults(session))
}

/** Asks the database for nothing; throws where it does not answer. */
export async function ping(db: Database): Promise<void> {
  await db.run(sql`select 1`)
}
