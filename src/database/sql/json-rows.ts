import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Maximum characters of one parameter, far below D1's limit of 2 MB. */
const MAX_CHARACTERS = 400_000

/**
 * Returns rows as a query of one column, `value`, from a few parameters of JSON: D1 allows 100
 * parameters per statement.
 */
export function jsonRows(rows: unknown[]): SQL {
  const chunks: string[][] = [[]]
  let size = 0

  for (const row of rows) {
    const text = JSON.stringify(row)
    size += text.length
    if (size > MAX_CHARACTERS) {
      chunks.push([])
      size = text.length
    }
    chunks.at(-1)?.push(text)
  }

  const parameters = chunks.map((chunk) => sql`(${`[${chunk.join(',')}]`})`)
  return sql`
    select item.value
    from (values ${sql.join(parameters, sql`, `)}) as chunk, json_each(chunk.column1) as item`
}

/** Returns any number of texts as one parameter, for a condition with `in`. */
export const textsOf = (texts: string[]): SQL => sql`(${jsonRows(texts)})`

/**
 * Builds the statement that inserts any number of rows.
 * @param columns those that the rows have: texts, numbers, booleans
 * @param where a condition on `value`, a row as JSON; with it, rows that a unique index would
 *   refuse are skipped
 */
export function insertRows<Table extends SQLiteTable>(
  table: Table,
  columns: SQLiteColumn[],
  rows: Table['$inferInsert'][],
  where?: SQL,
): SQL {
  const names = columns.map((column) => sql.identifier(column.name))
  const values = columns.map((column) => sql.raw(`value ->> '${column.name}'`))
  const rest = where ? sql`where ${where} on conflict do nothing` : sql``
  return sql`
    insert into ${table} (${sql.join(names, sql`, `)})
    select ${sql.join(values, sql`, `)} from (${jsonRows(rows)}) ${rest}`
}
