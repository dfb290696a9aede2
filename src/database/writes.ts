import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Actor, type Subject, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, type Statement, unlessRefused } from './client.ts'
import { differs } from './columns.ts'
import { idempotencyKeys } from './schema.ts'

// What only the database knows of a body is checked first. Then comes one transaction: the write and its record.

/** A condition: a table has a row. */
export const hasRow = (table: SQLiteTable, where: SQL | undefined) =>
  sql`exists (select 1 from ${table} where ${where})`

/**
 * The fields that break a rule which only the database can check. One round trip, or none if there is nothing to check.
 * @param violations the condition of each field; without one it is valid
 */
export async function findViolations<Field extends string>(
  db: Database,
  violations: { [Name in Field]?: SQL | '' | 0 | null },
): Promise<Field[]> {
  const checked = Object.entries(violations).filter(([, violation]) => violation) as [
    Field,
    SQL<number>,
  ][]
  if (checked.length === 0) return []
  const [found] = await db.select(Object.fromEntries(checked)).from(sql`(select 1)`)
  return checked.map(([field]) => field).filter((field) => found?.[field])
}

/** A query of one row, as a statement of a batch. */
type Query<Row> = BatchItem<'sqlite'> & PromiseLike<Row[]> & { _: { result: Row[] } }

/** A table, and what the audit calls a row of it. */
export type Audited = { table: SQLiteTable & { id: SQLiteColumn }; type: Subject }

type Creation<Row> = {
  type: Subject
  /** In the audit, which comes right after the row. */
  subjectId: string | SQL
  /** For the idempotency key. */
  id?: string | SQL
  row: Statement
  others?: Record<string, Statement>
  created: Query<Row>
}

/**
 * Creates a row, and what else is written with it.
 * @param creation.created queries what was created
 * @returns the row, or null if a unique index or a reference refused it
 */
export async function createRow<Row>(
  db: Database,
  { type, subjectId, id = subjectId, row, others, created }: Creation<Row>,
  actor: Actor,
): Promise<Row | null> {
  const key = actor.idempotencyKey
  const written = await unlessRefused(
    batch(db, {
      row,
      audit: insertAuditEvent(actor, `${type}.created`, subjectId),
      ...(key && { key: db.insert(idempotencyKeys).values({ ...key, created_id: id }) }),
      ...others,
      created,
    }),
  )
  // a retry is refused by what the first attempt has written
  const [found] = written ? (written.created as Row[]) : await created
  return found ?? null
}

/**
 * Updates the fields of a row that differ.
 * @param updated queries what was updated
 * @returns the row, null if there is none; or 'refused' by a unique index
 */
export async function updateRow<Row>(
  db: Database,
  { table, type }: Audited,
  id: string | number,
  changes: object,
  updated: Query<Row>,
  actor: Actor,
): Promise<Row | null | 'refused'> {
  const isDifferent = and(eq(table.id, id), differs(table, changes))
  const written = await unlessRefused(
    batch(db, {
      row: db.update(table).set(changes).where(isDifferent),
      audit: insertAuditEvent(actor, `${type}.updated`, String(id)),
      updated,
    }),
  )
  return written ? ((written.updated as Row[])[0] ?? null) : 'refused'
}

/**
 * Deletes a row. Existence is read first, because a retried deletion finds none.
 * @param inside the statements that delete what belongs to the row
 * @returns false if there is none; or 'refused' by a reference, also that of a simultaneous request
 */
export async function deleteRow(
  db: Database,
  { table, type }: Audited,
  id: string | number,
  actor: Actor,
  inside: Record<string, Statement> = {},
): Promise<boolean | 'refused'> {
  const [found] = await db.select({ id: table.id }).from(table).where(eq(table.id, id))
  if (!found) return false
  const deleted = await unlessRefused(
    batch(db, {
      ...inside,
      row: db.delete(table).where(eq(table.id, id)),
      audit: insertAuditEvent(actor, `${type}.deleted`, String(id)),
    }),
  )
  return deleted ? true : 'refused'
}

/** The body that one of the hashes of an idempotency key was used with, and the id of what that made; or null. */
export async function findIdempotencyKey(db: Database, keyHashes: string[]) {
  const key = await db
    .select()
    .from(idempotencyKeys)
    .where(inArray(idempotencyKeys.key_hash, keyHashes))
    .get()
  return key ?? null
}
