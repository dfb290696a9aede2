import { type SQL, sql } from 'drizzle-orm'

/** Of one parameter; far below D1's limit of 2 MB. */
const MAX_CHARACTERS = 400_000

/**
 * Rows as a query of one column, `value`, read from few parameters of JSON. So D1's limit of 100 parameters per
 * statement hardly limits the rows.
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
  return sql`select item.value from (values ${sql.join(parameters, sql`, `)}) as chunk, json_each(chunk.column1) as item`
}
