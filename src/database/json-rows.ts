import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Of one parameter; far below D1's limit of 2 MB. */
const MAX_CHARACTERS = 400_000

/** Rows as a query of one column, `value`, from few parameters of JSON, of which D1 allows 100 per statement. */
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
  return sql`select item.value from (values ${sql.join(parameters, sql`, `)}) as chunk, json_each(chunk.column1) as item`
}

/**
 * Builds the statement that inserts any number of rows.
 * @param columns of texts, numbers or booleans, each a field of the rows
 * @param where a condition on `value`, a row as JSON; those that a unique index would refuse are left out with it
 */
export function insertRows(table: SQLiteTable, columns: string[], rows: object[], where?: SQL) {
  const values = columns.map((column) => sql.raw(`value ->> '${column}'`))
  const rest = where ? sql`where ${where} on conflict do nothing` : sql``
  return sql`insert into ${table} (${sql.raw(columns.join(', '))})
    select ${sql.join(values, sql`, `)} from (${jsonRows(rows)}) ${rest}`
}
