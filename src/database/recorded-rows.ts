import { and, eq, type SQL, sql } from 'drizzle-orm'
import type {
  SQLiteColumn,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from 'drizzle-orm/sqlite-core'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { type IdempotencyKey, insertIdempotencyKey } from '#database/idempotency-keys.ts'
import { differs, type Exactly, hasRow } from '#database/sql/conditions.ts'
import {
  RefusedError,
  type RowQuery,
  runTransaction,
  runTransactionIf,
  type Statement,
} from '#database/transactions.ts'
import type { AuditAction } from '#domain/audit.ts'

// Creating, updating and deleting one row.

type TableWithId = SQLiteTable & { id: SQLiteColumn }

type Id = string | number

/**
 * Creates a row, and records it with the keys of its request. One round trip.
 * @param id that of the row; or the query of it, if the database chooses it
 * @param inserts the statements that insert the row and what belongs to it
 * @param created the query whose row is returned
 * @throws {RefusedError} by a unique index, a foreign key or a stored key
 */
export async function createRow<Row>(
  db: Database,
  { id, action }: { id: string | SQL; action: AuditAction },
  inserts: Statement[],
  actor: Actor,
  keys: IdempotencyKey[],
  created: RowQuery<Row>,
): Promise<Row> {
  const record = insertAuditEvents(actor, action, id)
  const isKnown = typeof id === 'string'
  const { rows } = await runTransaction(db, {
    actor,
    writes: [
      ...(isKnown ? [record, ...inserts] : [...inserts, record]),
      ...insertIdempotencyKey(db, keys, isKnown ? id : sql`(${id})`),
    ],
    reads: { rows: created },
  })
  const [row] = rows
  if (!row) throw new RefusedError('deleted before a repetition could read it')
  return row
}

/** Builds the query of ids as the subjects of a record, which are texts: those of lists are not. */
export const selectIds = (table: TableWithId, where: SQL | undefined): SQL =>
  sql`select cast(${table.id} as text) as id from ${table} where ${where}`

/** Builds the query of the id of a row, if it differs from some changes. */
export const selectDiffering = (table: TableWithId, id: Id, changes: object): SQL =>
  selectIds(table, and(eq(table.id, id), differs(table, changes)))

/**
 * Updates the fields of a row that differ, and records it. One round trip.
 * @param updated the query whose row is returned
 * @returns its row, or null if there is none
 * @throws {RefusedError} by a unique index
 */
export async function updateRow<
  Table extends TableWithId,
  Changes extends SQLiteUpdateSetSource<Table>,
  Row,
>(
  db: Database,
  { table, id, action }: { table: Table; id: Id; action: AuditAction },
  changes: Exactly<SQLiteUpdateSetSource<Table>, Changes>,
  actor: Actor,
  updated: RowQuery<Row>,
): Promise<Row | null> {
  const isChanged = and(eq(table.id, id), differs(table, changes))
  const { rows } = await runTransaction(db, {
    actor,
    writes: [
      insertAuditEvents(actor, action, selectDiffering(table, id, changes)),
      db.update(table).set(changes).where(isChanged),
    ],
    reads: { rows: updated },
  })
  return rows[0] ?? null
}

/**
 * Deletes a row, and records it. One round trip.
 * @param parts the statements that delete the rows that belong to it
 * @returns whether there was one
 * @throws {RefusedError} by a reference to it
 */
export async function deleteRow(
  db: Database,
  { table, id, action }: { table: TableWithId; id: Id; action: AuditAction },
  actor: Actor,
  parts: Statement[] = [],
): Promise<boolean> {
  const isRow = eq(table.id, id)
  const deleted = await runTransactionIf(db, hasRow(table, isRow), {
    actor,
    writes: [
      insertAuditEvents(actor, action, String(id)),
      ...parts,
      db.delete(table).where(isRow),
    ],
  })
  return deleted !== null
}
