import { sql } from 'drizzle-orm'
import { check, type SQLiteColumn } from 'drizzle-orm/sqlite-core'

export const isFlag = (name: string, column: SQLiteColumn) =>
  check(name, sql`${column} in (0, 1)`)

export function isOneOf(name: string, column: string, values: readonly string[]) {
  const quoted = values.map((value) => `'${value}'`).join(', ')
  return check(name, sql.raw(`"${column}" in (${quoted})`))
}
