import type { Database } from './client.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/** A reference list as a whole, in no order. It has at most 10,000 rows, which provisioning ensures. */
export function readReferenceList<Table extends ReferenceTable>(db: Database, table: Table) {
  return db.select().from(table as typeof categories) as unknown as Promise<Table['$inferSelect'][]>
}
