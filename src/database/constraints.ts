import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './client.ts'

/** A condition: a table has a row. */
export const exists = (table: SQLiteTable, where: SQL | undefined) =>
  sql`exists (select 1 from ${table} where ${where})`

/**
 * The fields that break a rule which only the database can check. One round trip, or none if there is nothing to check.
 *
 * @param violations the condition of each field; without one it is valid
 */
export async function findViolations<Field extends string>(
  db: Database,
  violations: { [Name in Field]?: SQL | undefined },
): Promise<Field[]> {
  const checked = Object.entries(violations).filter(([, violation]) => violation) as [Field, SQL<number>][]
  if (checked.length === 0) return []
  const [found] = await db.select(Object.fromEntries(checked)).from(sql`(select 1)`)
  return checked.map(([field]) => field).filter((field) => found?.[field])
}
