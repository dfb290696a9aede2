import { type SQL, sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'

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

export const timestamps = {
  created_at: text().notNull().default(NOW),
  updated_at: text()
    .notNull()
    .default(NOW)
    .$onUpdate(() => NOW),
}

const AFTER_MAJOR = `substr("version", instr("version", '.') + 1)`

const versionNumber = (expression: string) =>
  integer().generatedAlwaysAs(sql.raw(`cast(${expression} as integer)`), {
    mode: 'stored',
  })

/** Numeric version parts, so `v1.10.0` sorts after `v1.9.0`. */
export const versionNumbers = {
  version_major: versionNumber('substr("version", 2)'),
  version_minor: versionNumber(AFTER_MAJOR),
  version_patch: versionNumber(`substr(${AFTER_MAJOR}, instr(${AFTER_MAJOR}, '.') + 1)`),
}
