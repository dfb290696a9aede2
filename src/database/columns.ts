import { type SQL, sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'
import { FOLDED } from '../domain/folding.ts'

/** Now, as every timestamp is written: UTC with microseconds (see domain/timestamps.ts). */
export const NOW = sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')`

/** A moment so many minutes from now, or before it, written like every timestamp. */
export const minutesFromNow = (minutes: number | SQL) =>
  sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now', ${minutes} || ' minutes') || '000Z')`

/** Replacements that one expression may nest: older SQLite could not open a database that has more. */
const NESTED = 24

/**
 * The same folding as `fold` in domain/folding.ts, done by the database whenever a row is written, so that
 * it cannot drift: a few replacements after another, in columns that are not stored, and at last in the one
 * that is.
 */
export function foldingSteps(name: string) {
  const steps = Array.from({ length: LAST_STEP }, (_, step) => [
    `${name}_fold_${step}`,
    text().generatedAlwaysAs(sql.raw(foldingStep(name, step)), { mode: 'virtual' }),
  ])
  return Object.fromEntries(steps) as Record<never, never>
}

/** The last step, which is stored. */
export const folded = (name: string) =>
  text().generatedAlwaysAs(sql.raw(foldingStep(name, LAST_STEP)), { mode: 'stored' })

const LAST_STEP = Math.ceil(FOLDED.length / NESTED) - 1

function foldingStep(name: string, step: number): string {
  const before = step === 0 ? `lower("${name}")` : `"${name}_fold_${step - 1}"`
  return FOLDED.slice(step * NESTED, (step + 1) * NESTED).reduce(
    (expression, [letter, plain]) => `replace(${expression}, '${letter}', '${plain}')`,
    before,
  )
}

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
