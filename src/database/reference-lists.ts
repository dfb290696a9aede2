import { and, eq, getTableColumns, getTableName, ne, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Actor } from './actor.ts'
import type { Database } from './client.ts'
import type { IdempotencyKey } from './idempotency-keys.ts'
import { readRow } from './transactions.ts'
import { createRow, deleteRow, selectIds, updateRow } from '#database/recorded-rows.ts'
import { findViolations, hasRow } from '#database/sql/conditions.ts'
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

/** A row as responses show it, with the columns of its list. */
export type ReferenceRow = {
  id: number
  name: string
  active: boolean
  created_at: string
  updated_at: string
  [ownColumn: string]: unknown
}

type NewReference = {
  name: string
  active?: boolean | null | undefined
  [ownColumn: string]: unknown
}

/** Builds the query of rows of a list. */
function selectReferences(db: Database, { table, fields }: Source, where?: SQL) {
  const columns: Record<string, SQLiteColumn | undefined> = getTableColumns(table)
  const own = Object.keys(fields).map((name) => [name, columns[name]])
  return db
    .select({
      id: sql<number>`${table.id}`.as('id'),
      name: sql<string>`${table.name}`.as('name'),
      ...(Object.fromEntries(own) as Record<string, SQLiteColumn>),
      active: sql`${table.active}`.mapWith(Boolean).as('active'),
      created_at: sql<string>`${table.created_at}`.as('created_at'),
      updated_at: sql<string>`${table.updated_at}`.as('updated_at'),
    })
    .from(table)
    .where(where)
}

type FoldedReference = { item: ReferenceRow; name: string }

/**
 * Returns all rows of a list, with their folded names. Without Drizzle's builder, whose mapping of
 * each column would be most of the first request of an isolate. One round trip.
 */
export async function readReferences(
  db: Database,
  { table, fields }: Source,
): Promise<FoldedReference[]> {
  const { id, name, active, created_at, updated_at, name_folded } = table
  const own = Object.values(getTableColumns(table)).filter(
    (column) => column.name in fields,
  )
  const columns = [id, name, ...own, active, created_at, updated_at, name_folded]
  const names = columns.map((column) => column.name)
  const rows = await db.all<ReferenceRow & { name_folded: string }>(
    sql.raw(`select ${names.join(', ')} from ${getTableName(table)}`),
  )
  return rows.map(({ name_folded, ...row }) => ({
    item: { ...row, active: Boolean(row.active) },
    name: name_folded,
  }))
}

/**
 * Returns a row of a list, or null. One round trip.
 * @throws {EndedSessionError}
 */
export const getReference = (
  db: Database,
  list: Source,
  id: number,
  actor: Actor,
): Promise<ReferenceRow | null> =>
  readRow(db, selectReferences(db, list, eq(list.table.id, id)), actor)

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
export function createReference(
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
  return createRow(
    db,
    { id: selectIds(table, isNew), action: `${type}.created` },
    [db.insert(table).values(row)],
    actor,
    keys,
    selectReferences(db, list, isNew),
  )
}

/**
 * Updates the fields of a row that differ.
 * @returns the row, or null if there is none
 * @throws {RefusedError} if another row has its name
 */
export function updateReference(
  db: Database,
  list: Source,
  id: number,
  changes: Partial<NewReference>,
  actor: Actor,
): Promise<ReferenceRow | null> {
  const { table, type } = list
  const { name } = changes
  const name_folded = name === undefined ? undefined : fold(name)
  return updateRow(
    db,
    { table, id, action: `${type}.updated` },
    { ...changes, name_folded },
    actor,
    selectReferences(db, list, eq(table.id, id)),
  )
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
