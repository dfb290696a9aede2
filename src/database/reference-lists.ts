import { getTableColumns } from 'drizzle-orm'
import type { Database } from './client.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/**
 * A whole reference list, unordered. Provisioning limits it to 10,000 rows. The arrays of values become objects here,
 * because D1 and Drizzle take longer for it, which a first lookup shows.
 */
export async function readReferenceList<Table extends ReferenceTable>(
  db: Database,
  table: Table,
): Promise<Table['$inferSelect'][]> {
  const names = Object.keys(getTableColumns(table))
  const rows = await db
    .select()
    .from(table as ReferenceTable)
    .values()
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) row[name] = values[index]
    row.active = row.active === 1 // SQLite has no booleans
    return row as Table['$inferSelect']
  })
}
