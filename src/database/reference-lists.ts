import { getTableColumns, sql } from 'drizzle-orm'
import type { Columns, ListItem } from '../domain/searchable-list.ts'
import type { Database } from './client.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/**
 * A whole reference list by column, unordered. Provisioning limits it to 10,000 rows. In plain SQL and as arrays:
 * making objects of the rows took a tenth of the time of a first lookup.
 */
export async function readReferenceList(db: Database, table: ReferenceTable): Promise<Columns<ListItem>> {
  const names = Object.keys(getTableColumns(table))
  const rows = await db.values<unknown[]>(sql`select ${sql.raw(names.join())} from ${table}`)
  const columns = Object.fromEntries(
    names.map((name, index) => [name, rows.map((row) => row[index])]),
  ) as Columns<ListItem>
  columns.active = columns.active.map(Boolean) // SQLite has no booleans
  return columns
}
