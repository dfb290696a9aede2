import type { Database } from './client.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/** A whole reference list, unordered. Provisioning limits it to 10,000 rows. */
export function readReferenceList<Table extends ReferenceTable>(db: Database, table: Table) {
  return db.select().from(table as typeof categories) as unknown as Promise<Table['$inferSelect'][]>
}
