import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { fold } from '../domain/folding.ts'
import type { Actor } from './actor.ts'
import { insertAuditEvents } from './audit-events.ts'
import type { Database } from './client.ts'
import { type Exactly, findViolations, hasRow } from './conditions.ts'
import { type IdempotencyKey, insertIdempotencyKey } from './idempotency-keys.ts'
import { createRow, deleteRow, updateRow } from './rows.ts'
import { categories, dioceses, treatmentPronouns } from './schema.ts'
import type { RowQuery } from './transactions.ts'

export type ReferenceTable =
  | typeof categories
  | typeof dioceses
  | typeof treatmentPronouns

/** A list: its table, what the audit calls a row of it, and its rows as responses show them. */
export type ReferenceList<Table extends ReferenceTable, Row> = {
  table: Table
  type: 'category' | 'diocese' | 'treatment_pronoun'
  select: (db: Database, where?: SQL) => RowQuery<Row> & PromiseLike<Row[]>
}

export const categoryList = {
  table: categories,
  type: 'category',
  select: (db: Database, where?: SQL) =>
    db
      .select({
        id: categories.id,
        name: categories.name,
        description: categories.description,
        active: categories.active,
        created_at: categories.created_at,
        updated_at: categories.updated_at,
      })
      .from(categories)
      .where(where),
} as const

export const dioceseList = {
  table: dioceses,
  type: 'diocese',
  select: (db: Database, where?: SQL) =>
    db
      .select({
        id: dioceses.id,
        name: dioceses.name,
        state: dioceses.state,
        active: dioceses.active,
        created_at: dioceses.created_at,
        updated_at: dioceses.updated_at,
      })
      .from(dioceses)
      .where(where),
} as const

export const treatmentPronounList = {
  table: treatmentPronouns,
  type: 'treatment_pronoun',
  select: (db: Database, where?: SQL) =>
    db
      .select({
        id: treatmentPronouns.id,
        name: treatmentPronouns.name,
        description: treatmentPronouns.description,
        active: treatmentPronouns.active,
        created_at: treatmentPronouns.created_at,
        updated_at: treatmentPronouns.updated_at,
      })
      .from(treatmentPronouns)
      .where(where),
} as const

/** A row of a list, or null. One round trip. */
export async function getReference<Table extends ReferenceTable, Row>(
  db: Database,
  { table, select }: ReferenceList<Table, Row>,
  id: number,
): Promise<Row | null> {
  const [row] = await select(db, eq(table.id, id))
  return row ?? null
}

/** Limits of a list, because an isolate holds it in memory. */
const MAX_ROWS = 10_000
const MAX_BYTES = 4_000_000

type CheckedFields = {
  name?: string | undefined
  description?: string | undefined
  state?: string | undefined
}

/**
 * Finds the invalid fields of a row: `name` if another row has it (of a diocese: in its state),
 * `body` if its texts make the list too large, which reads the whole list. One round trip at most.
 * @param id the row to change; null for a new one
 */
export async function findInvalidReferenceFields(
  db: Database,
  table: ReferenceTable,
  { name, description, state }: CheckedFields,
  id: number | null,
): Promise<('name' | 'body')[]> {
  if (name === undefined && description === undefined && state === undefined) return []

  const isOther = id === null ? undefined : ne(table.id, id)
  const current = (column: 'name_folded' | 'state') =>
    sql`(select ${sql.identifier(column)} from ${table} where id = ${id})`
  const isTaken = and(
    isOther,
    sql`${table.name_folded} = ${name === undefined ? current('name_folded') : fold(name)}`,
    'state' in table ? sql`${table.state} = ${state ?? current('state')}` : undefined,
  )

  const bytes = new TextEncoder().encode(`${name ?? ''}${description ?? ''}`).length
  const text = 'description' in table ? table.description : sql`''`
  const total = sql`total(octet_length(${table.name}) + octet_length(${text})) + ${bytes}`
  const isTooLarge = sql`(
    select count(*) >= ${MAX_ROWS} or ${total} > ${MAX_BYTES}
    from ${table} where ${isOther ?? sql`true`})`

  return findViolations(db, {
    name: hasRow(table, isTaken),
    body: bytes > 0 ? isTooLarge : null,
  })
}

/** The row of a name, which is unique in its list; a diocese's in its state. */
const hasName = (table: ReferenceTable, row: { name_folded: string; state?: string }) =>
  and(
    eq(table.name_folded, row.name_folded),
    'state' in table ? sql`${table.state} = ${row.state}` : undefined,
  )

/**
 * Creates a row, whose id SQLite chooses: it is found by its name.
 * @throws {RefusedError} if another one has its name
 */
export function createReference<
  Table extends ReferenceTable,
  Row,
  New extends Table['$inferInsert'],
>(
  db: Database,
  { table, type, select }: ReferenceList<Table, Row>,
  row: Exactly<Table['$inferInsert'], New>,
  actor: Actor,
  key?: IdempotencyKey,
): Promise<Row> {
  const isNew = hasName(table, row)
  const selectId = sql`select cast(id as text) as id from ${table} where ${isNew}`
  const writes = [
    db.insert(table).values(row),
    insertAuditEvents(actor, `${type}.created`, selectId),
    ...insertIdempotencyKey(db, key, sql`(${selectId})`),
  ]
  return createRow(db, writes, actor, select(db, isNew))
}

/**
 * Updates the fields of a row that differ.
 * @returns the row, or null if there is none
 * @throws {RefusedError} if another one has its name
 */
export function updateReference<
  Table extends ReferenceTable,
  Row,
  Changes extends SQLiteUpdateSetSource<Table>,
>(
  db: Database,
  { table, type, select }: ReferenceList<Table, Row>,
  id: number,
  changes: Exactly<SQLiteUpdateSetSource<Table>, Changes>,
  actor: Actor,
): Promise<Row | null> {
  const row = { table, id, action: `${type}.updated` } as const
  return updateRow(db, row, changes, actor, select(db, eq(table.id, id)))
}

/**
 * Deletes a row.
 * @returns whether there was one
 * @throws {RefusedError} if a user refers to it
 */
export const deleteReference = (
  db: Database,
  { table, type }: Pick<ReferenceList<ReferenceTable, unknown>, 'table' | 'type'>,
  id: number,
  actor: Actor,
): Promise<boolean> => deleteRow(db, { table, id, action: `${type}.deleted` }, actor)
