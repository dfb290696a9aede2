import { and, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Actor } from './actor.ts'
import type { Database } from './client.ts'
import type { IdempotencyKey } from './idempotency-keys.ts'
import { readRow } from './transactions.ts'
import { createRow, deleteRow, selectIds, updateRow } from '#database/recorded-rows.ts'
import { findViolations, hasRow } from '#database/sql/conditions.ts'
import { batchItem } from '#database/sql/prepared.ts'
import type { ReferenceType } from '#domain/audit.ts'
import { fold } from '#domain/folding.ts'

/** The columns that every list has: `referenceColumns` of schema/lists.ts. */
type SharedColumn = 'id' | 'name' | 'name_folded' | 'active' | 'created_at' | 'updated_at'

export type ReferenceTable = SQLiteTable &
  Record<SharedColumn, SQLiteColumn> & { state?: SQLiteColumn }

/** The other columns of a list. */
export type OwnColumn<Table extends ReferenceTable> = Exclude<
  keyof Table['$inferInsert'],
  SharedColumn
>

type Source = {
  table: ReferenceTable
  type: ReferenceType
  /** By the names of its own columns. */
  fields: object
}

type Row<Active> = {
  id: number
  name: string
  active: Active
  created_at: string
  updated_at: string
  [ownColumn: string]: unknown
}

/** A row as responses show it, with the columns of its list. */
export type ReferenceRow = Row<boolean>

type StoredReference = Row<0 | 1> & { name_folded: string }

type NewReference = {
  name: string
  active?: boolean | null | undefined
  [ownColumn: string]: unknown
}

/**
 * Builds the query of rows of a list. Drizzle's builder would map each column, which is most of the
 * first request of an isolate.
 */
function selectReferences({ table, fields }: Source, where?: SQL): SQL {
  const { id, name, active, created_at, updated_at, name_folded } = table
  const own = Object.values(getTableColumns(table)).filter(
    (column) => column.name in fields,
  )
  const columns = [id, name, ...own, active, created_at, updated_at, name_folded]
  const names = columns.map((column) => column.name).join(', ')
  return sql`select ${sql.raw(names)} from ${table} where ${where ?? true}`
}

const toReference = ({ name_folded: _, ...row }: StoredReference): ReferenceRow => ({
  ...row,
  active: Boolean(row.active),
})

/** Returns all rows of a list, with their folded names. One round trip. */
export async function readReferences(db: Database, list: Source) {
  const rows = await db.all<StoredReference>(selectReferences(list))
  return rows.map((row) => ({ item: toReference(row), name: row.name_folded }))
}

/**
 * Returns a row of a list, or null. One round trip.
 * @throws {EndedSessionError}
 */
export async function getReference(
  db: Database,
  list: Source,
  id: number,
  actor: Actor,
): Promise<ReferenceRow | null> {
  const query = selectReferences(list, eq(list.table.id, id))
  const row = await readRow(db, batchItem<StoredReference>(db, query), actor)
  return row && toReference(row)
}

/**
 * Returns the field `name` if another row has that name (for a diocese: in the same state). One
 * round trip at most.
 * @param id the row that may keep its name; null for a new one
 */
export function findInvalidReferenceFields(
  db: Database,
  { table }: Source,
  { name, state }: { name?: string | undefined; state?: string | undefined },
  id: number | null,
) {
  const current = (column: SQLiteColumn) =>
    sql`(select ${column} from ${table} where id = ${id})`
  const isTaken = and(
    id === null ? undefined : ne(table.id, id),
    eq(table.name_folded, name === undefined ? current(table.name_folded) : fold(name)),
    table.state && eq(table.state, state ?? current(table.state)),
  )
  const isChecked = name !== undefined || state !== undefined
  return findViolations(db, { name: isChecked ? hasRow(table, isTaken) : null })
}

/**
 * Creates a row and finds it by its name, because SQLite chooses its id.
 * @throws {RefusedError} if another row has its name
 */
export async function createReference(
  db: Database,
  list: Source,
  body: NewReference,
  actor: Actor,
  keys: IdempotencyKey[] = [],
): Promise<ReferenceRow> {
  const { table, type } = list
  const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
  const isNew = and(
    eq(table.name_folded, row.name_folded),
    table.state && eq(table.state, body.state),
  )
  const created = await createRow(
    db,
    { id: selectIds(table, isNew), action: `${type}.created` },
    [db.insert(table).values(row)],
    actor,
    keys,
    batchItem<StoredReference>(db, selectReferences(list, isNew)),
  )
  return toReference(created)
}

/**
 * Updates the fields of a row that differ.
 * @returns the row, or null if there is none
 * @throws {RefusedError} if another row has its name
 */
export async function updateReference(
  db: Database,
  list: Source,
  id: number,
  changes: Partial<NewReference>,
  actor: Actor,
): Promise<ReferenceRow | null> {
  const { table, type } = list
  const { name } = changes
  const name_folded = name === undefined ? undefined : fold(name)
  const updated = await updateRow(
    db,
    { table, id, action: `${type}.updated` },
    { ...changes, name_folded },
    actor,
    batchItem<StoredReference>(db, selectReferences(list, eq(table.id, id))),
  )
  return updated && toReference(updated)
}

/**
 * Deletes a row.
 * @returns whether there was one
 * @throws {RefusedError} if a user refers to it
 */
export const deleteReference = (
  db: Database,
  { table, type }: Source,
  id: number,
  actor: Actor,
): Promise<boolean> => deleteRow(db, { table, id, action: `${type}.deleted` }, actor)
