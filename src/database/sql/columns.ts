import { type SQL, sql } from 'drizzle-orm'
import { check, type SQLiteColumn, text } from 'drizzle-orm/sqlite-core'

/**
 * The current time in the format of all timestamps: UTC with microseconds (domain/timestamps.ts).
 */
export const NOW = sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')`

/** The time some minutes from now (negative: ago), as a timestamp. */
export const minutesFromNow = (minutes: number | SQL) =>
  sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now', ${minutes} || ' minutes') || '000Z')`

/** A random UUID (RFC 9562, version 4), made by SQLite for statements that insert many rows. */
export const RANDOM_UUID = sql<string>`(lower(
  hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
  substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))))`

export const now = () => text().notNull().default(NOW)

export const refersTo = (column: () => SQLiteColumn) =>
  text().notNull().references(column)

export const timestamps = {
  created_at: now(),
  updated_at: text()
    .notNull()
    .default(NOW)
    .$onUpdate(() => NOW),
}

export const isFlag = (name: string, column: SQLiteColumn) =>
  check(name, sql`${column} in (0, 1)`)

export function isOneOf(name: string, column: string, values: readonly string[]) {
  const quoted = values.map((value) => `'${value}'`).join(', ')
  return check(name, sql.raw(`"${column}" in (${quoted})`))
}
