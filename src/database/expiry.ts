import { inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from './client.ts'

/** D1 ends a statement after 30 seconds, so a million rows go in many. */
const MAX_ROWS = 5_000

/**
 * Builds the statement that deletes the oldest rows of a column's table, some thousands at most: the next run deletes
 * the rest.
 *
 * @param column an indexed timestamp
 * @param until the latest time to delete
 */
export function deleteOldest(db: Database, column: SQLiteColumn, until: SQL) {
  const oldest = db
    .select({ rowid: sql`rowid` })
    .from(column.table)
    .where(lte(column, until))
    .orderBy(column)
    .limit(MAX_ROWS)
  return db.delete(column.table).where(inArray(sql`rowid`, oldest))
}
