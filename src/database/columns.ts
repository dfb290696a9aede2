import { or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'
import { fold } from '../domain/folding.ts'

/** The current time in the format of all timestamps: UTC with microseconds (domain/timestamps.ts). */
export const NOW = sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')`

/** The time some minutes from now (negative: ago), as a timestamp. */
export const minutesFromNow = (minutes: number | SQL) =>
  sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now', ${minutes} || ' minutes') || '000Z')`

/** A condition: a row of a table has other values in some columns. */
export const differs = (table: object, changes: object) =>
  or(
    ...Object.entries(changes).map(
      ([column, value]) => sql`${(table as Record<string, SQLWrapper>)[column]} is not ${value}`,
    ),
  )

export const timestamps = {
  created_at: text().notNull().default(NOW),
  updated_at: text()
    .notNull()
    .default(NOW)
    .$onUpdate(() => NOW),
}

/** Numeric version parts, so `v1.10.0` sorts after `v1.9.0`. */
const AFTER_MAJOR = `substr("version", instr("version", '.') + 1)`
const versionNumber = (expression: string) =>
  integer().generatedAlwaysAs(sql.raw(`cast(${expression} as integer)`), { mode: 'stored' })

export const versionNumbers = {
  version_major: versionNumber('substr("version", 2)'),
  version_minor: versionNumber(AFTER_MAJOR),
  version_patch: versionNumber(`substr(${AFTER_MAJOR}, instr(${AFTER_MAJOR}, '.') + 1)`),
}

/** The folded columns of the fields that have one. */
export const folded = (fields: { name?: string; protocol?: string; title?: string }) =>
  Object.fromEntries(
    (['name', 'protocol', 'title'] as const).flatMap((field) =>
      fields[field] === undefined ? [] : [[`${field}_folded`, fold(fields[field])]],
    ),
  )
