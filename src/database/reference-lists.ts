import { and, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import type { Actor } from './audit-events.ts'
import type { Database } from './client.ts'
import { folded } from './columns.ts'
import type { categories, dioceses, treatmentPronouns } from './schema.ts'
import { createRow, deleteRow, findViolations, hasRow, updateRow } from './writes.ts'

export type ReferenceTable = typeof categories | typeof dioceses | typeof treatmentPronouns

/** A list, and what the audit calls a row of it. */
export type ReferenceList = {
  table: ReferenceTable
  type: 'category' | 'diocese' | 'treatment_pronoun'
}

/** The fields of a new row; a list has either a description or a state. */
export type NewReference = {
  name: string
  active?: boolean | null
  description?: string
  state?: string
}

export type UpdatedReference = Partial<NewReference>

/** A row in responses. */
export type Reference = NewReference & {
  active: boolean
  id: number
  created_at: string
  updated_at: string
}

/** Limits of a list, because an isolate holds it in memory. */
const MAX_ROWS = 10_000
const MAX_BYTES = 4_000_000

/** Builds the query of the rows of a reference list, by id, or of one of them. */
export function selectReferences(
  db: Database,
  table: ReferenceTable,
  id: number | SQL | null = null,
) {
  const { name_folded: _, ...columns } = getTableColumns(table)
  const where = id === null ? undefined : eq(table.id, id)
  return db.select(columns).from(table).where(where).orderBy(table.id)
}

/**
 * What is wrong with a row: `name` if another one has it (of a diocese: in its state), `body` if its texts make the list
 * too large, which reads the whole list. One round trip at most.
 * @param id the row to change; 0 for a new one
 */
export async function findInvalidFields(
  db: Database,
  table: ReferenceTable,
  { name, description, state }: UpdatedReference,
  id: number,
): Promise<('name' | 'body')[]> {
  if (name === undefined && description === undefined && state === undefined) return []
  const current = (column: string) =>
    sql`(select ${sql.identifier(column)} from ${table} where ${table.id} = ${id})`
  const isTaken = and(
    ne(table.id, id),
    sql`${table.name_folded} = ${name === undefined ? current('name_folded') : fold(name)}`,
    'state' in table ? sql`${table.state} = ${state ?? current('state')}` : undefined,
  )
  const bytes = new TextEncoder().encode(`${name ?? ''}${description ?? ''}`).length
  const text = 'description' in table ? table.description : sql`''`
  const size = sql`total(octet_length(${table.name}) + octet_length(${text})) + ${bytes}`
  return findViolations(db, {
    name: hasRow(table, isTaken),
    body: sql`${bytes} and (
      select count(*) >= ${MAX_ROWS} or ${size} > ${MAX_BYTES} from ${table} where ${ne(table.id, id)})`,
  })
}

/** Creates a row, whose id the audit event of the request keeps. Null if another one has its name. */
export function createReference(
  db: Database,
  { table, type }: ReferenceList,
  fields: NewReference,
  actor: Actor,
) {
  const id = sql`(select cast(subject_id as integer) from audit_events where id = ${actor.requestId})`
  const subjectId = sql`cast(last_insert_rowid() as text)`
  const row = db
    .insert(table)
    .values({ ...fields, active: fields.active ?? true, ...folded(fields) } as never)
  return createRow(
    db,
    { type, subjectId, id, row, created: selectReferences(db, table, id) },
    actor,
  )
}

/** Updates the fields of a row that differ. Refused if another one has its name. */
export function updateReference(
  db: Database,
  list: ReferenceList,
  id: number,
  fields: UpdatedReference,
  actor: Actor,
) {
  return updateRow(
    db,
    list,
    id,
    { ...fields, ...folded(fields) },
    selectReferences(db, list.table, id),
    actor,
  )
}

/** Deletes a row. Refused if a user refers to it. */
export const deleteReference = (db: Database, list: ReferenceList, id: number, actor: Actor) =>
  deleteRow(db, list, id, actor)
