import { type SQL, sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'

/** The current time in the format of all timestamps: UTC with microseconds (domain/timestamps.ts). */
export const NOW = sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')`

/** The time some minutes from now (negative: ago), as a timestamp. */
export const minutesFromNow = (minutes: number | SQL) =>
  sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now', ${minutes} || ' minutes') || '000Z')`

export const uuid = () => text()

export const timestamps = {
  created_at: text().notNull().default(NOW),
  updated_at: text()
    .notNull()
    .default(NOW)
    .$onUpdate(() => NOW),
}

export const active = integer({ mode: 'boolean' }).notNull().default(true)

/** Numeric version parts, so `v1.10.0` sorts after `v1.9.0`. */
const AFTER_MAJOR = `substr("version", instr("version", '.') + 1)`
const versionNumber = (expression: string) =>
  integer().generatedAlwaysAs(sql.raw(`cast(${expression} as integer)`), { mode: 'stored' })

export const versionNumbers = {
  version_major: versionNumber('substr("version", 2)'),
  version_minor: versionNumber(AFTER_MAJOR),
  version_patch: versionNumber(`substr(${AFTER_MAJOR}, instr(${AFTER_MAJOR}, '.') + 1)`),
}
