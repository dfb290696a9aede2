import { and, eq } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Actor, type Subject, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, unlessRefused } from './client.ts'
import { differs } from './columns.ts'

type Statement = BatchItem<'sqlite'>

/** A query of one row, as a statement of a batch. */
type Query<Row> = Statement & PromiseLike<Row[]> & { _: { result: Row[] } }

/** A table, and what the audit calls a row of it. */
export type Audited = { table: SQLiteTable & { id: SQLiteColumn }; type: Subject }

// Each write is one transaction with its record.

/**
 * Creates a row.
 *
 * @param statements the insertion, its record and what else is written
 * @param created queries what was created
 * @returns the row, or null if a unique index or a reference refused it
 */
export async function createRow<Row>(
  db: Database,
  statements: Record<string, Statement>,
  created: Query<Row>,
): Promise<Row | null> {
  const written = await unlessRefused(batch(db, { ...statements, created }))
  // a retry is refused by what the first attempt has written
  const [row] = written ? (written.created as Row[]) : await created
  return row ?? null
}

/**
 * Updates the fields of a row that differ.
 *
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
  const written = await unlessRefused(
    batch(db, {
      row: db
        .update(table)
        .set(changes)
        .where(and(eq(table.id, id), differs(table, changes))),
      audit: insertAuditEvent(db, actor, `${type}.updated`, String(id)),
      updated,
    }),
  )
  return written ? ((written.updated as Row[])[0] ?? null) : 'refused'
}

/**
 * Deletes a row. Existence is read first, because a retried deletion finds none.
 *
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
      audit: insertAuditEvent(db, actor, `${type}.deleted`, String(id)),
    }),
  )
  return deleted ? true : 'refused'
}
