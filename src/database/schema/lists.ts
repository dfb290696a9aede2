import { sql } from 'drizzle-orm'
import { check, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { isFlag, timestamps } from '#database/sql/columns.ts'

const referenceColumns = {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** As all `…_folded`: without case and accents (domain/folding.ts), to search or compare. */
  name_folded: text().notNull(),
  active: integer({ mode: 'boolean' }).notNull().default(true),
  ...timestamps,
}

export const categories = sqliteTable(
  'categories',
  { ...referenceColumns, description: text().notNull() },
  (table) => [
    unique('categories_by_name').on(table.name_folded),
    isFlag('categories_active', table.active),
  ],
)

export const treatmentPronouns = sqliteTable(
  'treatment_pronouns',
  { ...referenceColumns, description: text().notNull() },
  (table) => [
    unique('treatment_pronouns_by_name').on(table.name_folded),
    isFlag('treatment_pronouns_active', table.active),
  ],
)

export const dioceses = sqliteTable(
  'dioceses',
  { ...referenceColumns, state: text().notNull() },
  (table) => [
    unique('dioceses_by_name').on(table.state, table.name_folded),
    isFlag('dioceses_active', table.active),
    check('dioceses_state', sql`${table.state} glob '[A-Z][A-Z]'`),
  ],
)
