import type { Database } from './client.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/** All rows of a reference list, by id. One round trip. */
export async function listReferences<Table extends ReferenceTable>(
  db: Database,
  table: Table,
): Promise<Table['$inferSelect'][]> {
  return db
    .select()
    .from(table as ReferenceTable)
    .orderBy(table.id)
}
