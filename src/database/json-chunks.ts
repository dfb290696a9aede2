import { type SQL, sql } from 'drizzle-orm'

/** Far below D1's limit of 2 MB per value. */
const MAX_CHARACTERS = 400_000

/**
 * Splits rows into JSON arrays, each small enough for one parameter, read with `json_each`. So D1's limit of 100
 * parameters per statement does not limit the rows.
 */
export function toJsonChunks(rows: unknown[]): string[] {
  const chunks: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (size + text.length > MAX_CHARACTERS) {
      chunks.push([])
      size = 0
    }
    chunks.at(-1)?.push(text)
    size += text.length
  }
  return chunks.map((chunk) => `[${chunk.join(',')}]`)
}

/** Rows as a query of one column, `value`. D1 takes 100 parameters, and so chunks, at most. */
export function jsonRows(rows: unknown[]): SQL {
  const chunks = rows.length > 0 ? toJsonChunks(rows) : ['[]']
  const values = sql.join(
    chunks.map((chunk) => sql`(${chunk})`),
    sql`, `,
  )
  return sql`select item.value from (values ${values}) as chunk, json_each(chunk.column1) as item`
}
