import { and, getTableColumns, not, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from '#database/client.ts'
import { wordsOf } from '#domain/folding.ts'

/** A condition: a table has a row. */
export const hasRow = (table: SQLiteTable, where: SQL | undefined): SQL<boolean> =>
  sql`exists (select 1 from ${table} where ${where})`

/** A condition: a table has no row. */
export const hasNoRow = (table: SQLiteTable, where: SQL | undefined) =>
  not(hasRow(table, where))

/**
 * A condition: some columns, which hold no capital X, contain every word of a folded search. It
 * takes one parameter per word, of which a search has 50 at most.
 */
export function holdsWords(search: string, columns: SQLiteColumn[]): SQL | undefined {
  const text = sql`concat_ws('X', ${sql.join(columns, sql`, `)})`
  return and(...wordsOf(search).map((word) => sql`instr(${text}, ${word})`))
}

/** A condition: a row has other values in some columns. Undefined values are not compared. */
export function differs(table: SQLiteTable, changes: object): SQL | undefined {
  const columns = getTableColumns(table)
  const differences = Object.entries(changes).map(([name, value]) => {
    const column = columns[name]
    if (!column || value === undefined) return undefined
    return sql`${column} is not ${sql.param(value, column)}`
  })
  return or(...differences)
}

/**
 * A column that no index serves (sqlite.org/optoverview.html, "Disqualifying Terms Using Unary +").
 * Without statistics, which D1 does not keep, SQLite would choose the wrong one of two indexes.
 */
export const unindexed = (column: SQLiteColumn): SQL => sql`+${column}`

/** Conditions under which fields violate rules that only the database can check. */
type Violations<Field extends string> = {
  [Name in Field]?: SQL | null | undefined
}

/**
 * Returns the fields that violate such a rule. One round trip, or none if there is nothing to
 * check.
 */
export async function findViolations<Field extends string>(
  db: Database,
  violations: Violations<Field>,
): Promise<Field[]> {
  const fields = Object.keys(violations) as Field[] // Object.keys returns plain strings
  const checked = fields.filter((field) => violations[field])
  if (checked.length === 0) return []

  const conditions = checked.map((field) => [field, sql<number>`${violations[field]}`])
  const [found] = await db.select(Object.fromEntries(conditions)).from(sql`(select 1)`)
  return checked.filter((field) => found?.[field])
}

/**
 * A row with the expected columns and no others. TypeScript checks excess properties only of
 * literals; this type also checks spread objects, so a field without a column does not compile.
 */
export type Exactly<Expected, Given extends Expected> = Given & {
  [Name in Exclude<keyof Given, keyof Expected>]: never
}
