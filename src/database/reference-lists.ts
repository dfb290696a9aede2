import { and, eq, getTableColumns, ne, or, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { type Actor, insertAuditEvent, insertAuditEvents } from './audit-events.ts'
import { batch, type Database, unlessRefused } from './client.ts'
import { type IdempotencyKey, insertIdempotencyKey } from './idempotency-keys.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/** A list, and what the audit calls a row of it. */
export type ReferenceList = { table: ReferenceTable; type: 'category' | 'diocese' | 'treatment_pronoun' }

/** The fields of a new row; a list has either a description or a state. */
export type NewReference = { name: string; active: boolean; description?: string; state?: string }

/** A row in responses. */
export type Reference = NewReference & { id: number; created_at: string; updated_at: string }

/** Limits of a list, because an isolate holds it in memory. */
const MAX_ROWS = 10_000
const MAX_BYTES = 4_000_000

/** Builds the query of the rows of a reference list, by id, or of one of them. */
export function selectReferences(db: Database, table: ReferenceTable, id: number | SQL | null = null) {
  const { name_folded: _, ...columns } = getTableColumns(table)
  const where = id === null ? undefined : eq(table.id, id)
  return db.select(columns).from(table).where(where).orderBy(table.id)
}

/**
 * What is wrong with a row: `name` if another one has it (of a diocese: in its state), `body` if its texts make the list
 * too large, which reads the whole list. One round trip, or none if there is nothing to check.
 *
 * @param id the row to change; null for a new one
 */
export async function findReferenceProblems(
  db: Database,
  table: ReferenceTable,
  { name, description, state }: Partial<NewReference>,
  id: number | null,
): Promise<('name' | 'body')[]> {
  if (name === undefined && description === undefined && state === undefined) return []
  const current = (column: string) =>
    sql`(select ${sql.identifier(column)} from ${table} where ${table.id} = ${id})`
  const isTaken = and(
    sql`${table.id} is not ${id}`,
    sql`${table.name_folded} = ${name === undefined ? current('name_folded') : fold(name)}`,
    'state' in table ? sql`${table.state} = ${state ?? current('state')}` : undefined,
  )
  const bytes = new TextEncoder().encode(`${name ?? ''}${description ?? ''}`).length
  const text = 'description' in table ? table.description : sql`''`
  const size = sql`total(octet_length(${table.name}) + octet_length(${text})) + ${bytes}`
  const isTooLarge = sql`${bytes} and (
    select count(*) >= ${MAX_ROWS} or ${size} > ${MAX_BYTES} from ${table} where ${table.id} is not ${id})`
  const [found] = await db
    .select({ name: sql`exists (select 1 from ${table} where ${isTaken})`, body: isTooLarge })
    .from(sql`(select 1)`)
  return (['name', 'body'] as const).filter((field) => found?.[field])
}

/**
 * Creates a row. The database gives it an id, and the audit event of the request keeps it.
 *
 * @returns the row, or null if another one has its name
 */
export async function createReference(
  db: Database,
  { table, type }: ReferenceList,
  row: NewReference,
  key: IdempotencyKey | null,
  actor: Actor,
) {
  const createdId = sql`(select cast(subject_id as integer) from audit_events where id = ${actor.requestId})`
  const newId = sql`select cast(last_insert_rowid() as text) as id`
  const created = await unlessRefused(
    batch(db, {
      row: db.insert(table).values({ ...row, name_folded: fold(row.name) } as never),
      audit: insertAuditEvents(db, actor, `${type}.created`, newId),
      ...(key && { key: insertIdempotencyKey(db, key, createdId) }),
      rows: selectReferences(db, table, createdId),
    }),
  )
  // a retry is refused by what the first attempt has written
  const [found] = created ? created.rows : await selectReferences(db, table, createdId)
  return found ?? null
}

/**
 * Updates the fields of a row that differ.
 *
 * @returns the row, null if there is none; or 'refused' if another one has its name
 */
export async function updateReference(
  db: Database,
  { table, type }: ReferenceList,
  id: number,
  changes: Partial<NewReference>,
  actor: Actor,
) {
  const columns = getTableColumns(table)
  const differs = Object.entries(changes).map(([name, value]) =>
    ne(columns[name as 'active'], value as boolean),
  )
  const values = changes.name === undefined ? changes : { ...changes, name_folded: fold(changes.name) }
  const updated = await unlessRefused(
    batch(db, {
      row: db
        .update(table)
        .set(values as never)
        .where(and(eq(table.id, id), or(...differs))),
      audit: insertAuditEvent(db, actor, `${type}.updated`, String(id)),
      rows: selectReferences(db, table, id),
    }),
  )
  return updated ? (updated.rows[0] ?? null) : 'refused'
}

/**
 * Deletes a row. Existence is read first, because a retried deletion finds no row.
 *
 * @returns null if there is no such row, 'refused' if a user refers to it
 */
export async function deleteReference(
  db: Database,
  { table, type }: ReferenceList,
  id: number,
  actor: Actor,
) {
  const [found] = await selectReferences(db, table, id)
  if (!found) return null
  const deleted = await unlessRefused(
    batch(db, {
      row: db.delete(table).where(eq(table.id, id)),
      audit: insertAuditEvent(db, actor, `${type}.deleted`, String(id)),
    }),
  )
  return deleted ? found : 'refused'
}
