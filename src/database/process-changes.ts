import { and, eq, inArray, ne, not, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import type { CONSTRAINT_MESSAGES } from '../domain/process.ts'
import type { Actor } from './audit-events.ts'
import type { Database } from './client.ts'
import { folded } from './columns.ts'
import { insertRows } from './json-rows.ts'
import { type Part, type Process, readProcess, selectProcess, TABLES } from './processes.ts'
import { groups, processes, questionnaires } from './schema.ts'
import { createRow, deleteRow, findViolations, hasRow, updateRow } from './writes.ts'

/** The fields of a process, group or questionnaire that only the database can validate. Absent ones are valid. */
export type CheckedFields = { [Field in keyof typeof CONSTRAINT_MESSAGES]?: string | null }

/** The column that must be unique, and within what. */
const UNIQUE = {
  process: { field: 'protocol', column: processes.protocol_folded, parent: null },
  group: { field: 'name', column: groups.name_folded, parent: groups.process_id },
  questionnaire: {
    field: 'title',
    column: questionnaires.title_folded,
    parent: questionnaires.group_id,
  },
} as const

/**
 * The fields whose text another row has, without case and accents, or that refer to no process. One round trip at most.
 * @param id the row that may keep its text; '' for a new one
 * @param parentId the process of a new group, or the group of a new questionnaire
 */
export function findInvalidFields(
  db: Database,
  part: Part,
  { groups_of, ...fields }: CheckedFields,
  { id, parentId }: { id: string; parentId: string },
) {
  const table = TABLES[part] as typeof processes // of which the id is enough
  const { field, column, parent } = UNIQUE[part]
  const text = fields[field]
  const isBeside =
    parent && sql`${parent} = ${parentId || sql`(select ${parent} from ${table} where id = ${id})`}`
  const isSame =
    text && and(isBeside ?? undefined, eq(column, fold(text)), id ? ne(table.id, id) : undefined)
  return findViolations<keyof CheckedFields>(db, {
    [field]: isSame && hasRow(table, isSame),
    groups_of: groups_of && not(hasRow(processes, eq(processes.id, groups_of))),
  })
}

type NewGroup = {
  name: string
  color: string
  description: string
  questionnaires?: string[] | null
}
type NewProcess = { id: string; name: string; protocol: string }

// Each `create…` returns the process, or null if a unique index or a reference refused it.

/** Creates a process with groups of its own, or with copies of those of another process, which is read before. */
export async function createProcess(
  db: Database,
  {
    groups: own,
    groups_of,
    ...process
  }: NewProcess & { groups?: NewGroup[] | null; groups_of?: string | null },
  actor: Actor,
): Promise<Process | null> {
  const source = groups_of ? await readProcess(db, 'process', groups_of) : null
  if (groups_of && !source) return null
  const copied = source?.groups.map(({ id, informers, questionnaires, ...group }) => ({
    ...group,
    questionnaires: questionnaires.map(({ title }) => title),
  }))
  const row = db.insert(processes).values({ ...process, ...folded(process) })
  const others = insertGroups(process.id, copied ?? own ?? [])
  return createRow(db, { ...creationOf(db, 'process', process.id), row, others }, actor)
}

/** Creates a group with its questionnaires. */
export function createGroup(
  db: Database,
  { process_id, ...group }: NewGroup & { id: string; process_id: string },
  actor: Actor,
): Promise<Process | null> {
  const { groups: row, ...others } = insertGroups(process_id, [group])
  return createRow(db, { ...creationOf(db, 'group', group.id), row, others }, actor)
}

/** Creates a questionnaire. */
export function createQuestionnaire(
  db: Database,
  questionnaire: { id: string; group_id: string; title: string },
  actor: Actor,
): Promise<Process | null> {
  const row = db.insert(questionnaires).values({ ...questionnaire, ...folded(questionnaire) })
  return createRow(db, { ...creationOf(db, 'questionnaire', questionnaire.id), row }, actor)
}

const creationOf = (db: Database, type: Part, id: string) => ({
  type,
  subjectId: id,
  created: selectProcess(db, type, id),
})

/** Builds the statements that insert groups with their questionnaires, which may be more than parameters are allowed. */
function insertGroups(process_id: string, list: (NewGroup & { id?: string })[]) {
  const rows = withFolded(list.map((group) => ({ id: crypto.randomUUID(), process_id, ...group })))
  const inside = rows.flatMap(({ id: group_id, questionnaires }) =>
    withFolded(
      (questionnaires ?? []).map((title) => ({ id: crypto.randomUUID(), group_id, title })),
    ),
  )
  return {
    groups: insertRows(
      groups,
      ['id', 'process_id', 'name', 'name_folded', 'color', 'description'],
      rows,
    ),
    questionnaires: insertRows(questionnaires, ['id', 'group_id', 'title', 'title_folded'], inside),
  }
}

/** Adds the folded text: to one of those that differ in case and accents alone, which an earlier release let in. */
function withFolded<Row extends { name?: string; title?: string }>(rows: Row[]) {
  const byText = new Map(rows.map((row) => [fold(row.name ?? row.title ?? ''), row]))
  const chosen = new Set(byText.values())
  return rows.map((row) => ({ ...row, ...(chosen.has(row) && folded(row)) }))
}

/** Updates the fields that differ of a process, group or questionnaire. */
export function updatePart(
  db: Database,
  part: Part,
  id: string,
  fields: Record<string, string>,
  actor: Actor,
) {
  const changes = { ...fields, ...folded(fields) }
  return updateRow(
    db,
    { table: TABLES[part], type: part },
    id,
    changes,
    selectProcess(db, part, id),
    actor,
  )
}

/** Deletes a process, group or questionnaire with what it has. References refuse it where there are informers. */
export function deletePart(db: Database, part: Part, id: string, actor: Actor) {
  const isInside = part === 'process' ? eq(groups.process_id, id) : eq(groups.id, id)
  const inside = db.select({ id: groups.id }).from(groups).where(isInside)
  return deleteRow(db, { table: TABLES[part], type: part }, id, actor, {
    ...(part !== 'questionnaire' && {
      questionnaires: db.delete(questionnaires).where(inArray(questionnaires.group_id, inside)),
    }),
    ...(part === 'process' && { groups: db.delete(groups).where(isInside) }),
  })
}
