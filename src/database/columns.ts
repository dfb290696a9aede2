import { sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'
import { LOWERED, UNACCENTED } from '../domain/folding.ts'

/** Now, as every timestamp is written: UTC with microseconds (see domain/timestamps.ts). */
export const NOW = sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')`

/**
 * The same folding as `fold` in domain/folding.ts, done by the database whenever a row is written, in two
 * columns, because an expression can be only so deep: lower case first, which is not stored, then no accents.
 */
export const lowered = (name: string) =>
  text().generatedAlwaysAs(sql.raw(`lower(${replaced(name, LOWERED)})`), { mode: 'virtual' })
export const folded = (name: string) =>
  text().generatedAlwaysAs(sql.raw(replaced(`${name}_lower`, UNACCENTED)), { mode: 'stored' })

const replaced = (name: string, replacements: [string, string][]) =>
  replacements.reduce((expression, [from, to]) => `replace(${expression}, '${from}', '${to}')`, `"${name}"`)

export const uuid = () => text()

export const timestamps = {
  created_at: text().notNull().default(NOW),
  updated_at: text()
    .notNull()
    .default(NOW)
    .$onUpdate(() => NOW),
}

export const active = integer({ mode: 'boolean' }).notNull().default(true)

/** The numbers of a version, which SQLite reads from its text: `v1.10.0` is after `v1.9.0`. */
const AFTER_MAJOR = `substr("version", instr("version", '.') + 1)`
const versionNumber = (expression: string) =>
  integer().generatedAlwaysAs(sql.raw(`cast(${expression} as integer)`), { mode: 'stored' })

export const versionNumbers = {
  version_major: versionNumber('substr("version", 2)'),
  version_minor: versionNumber(AFTER_MAJOR),
  version_patch: versionNumber(`substr(${AFTER_MAJOR}, instr(${AFTER_MAJOR}, '.') + 1)`),
}
