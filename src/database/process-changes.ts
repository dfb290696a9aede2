import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { type batch, type Database, statement } from './client.ts'
import { folded, newUuid } from './columns.ts'
import { type IdempotencyKey, insertIdempotencyKey } from './idempotency-keys.ts'
import { type Part, type Process, selectProcess, TABLES } from './processes.ts'
import { groups, processes, questionnaires } from './schema.ts'
import { createRow, deleteRow, updateRow } from './writes.ts'

type Statement = Parameters<typeof batch>[1][string]
type NewGroup = { name: string; color: string; description: string; questionnaires: string[] | null }
type NewProcess = { id: string; name: string; protocol: string }

// Each `create…` is one transaction with one record. It returns the process, or null if a unique index or a reference
// refused it.

/** Creates a process with groups of its own, or with copies of those of another process. */
export function createProcess(
  db: Database,
  { groups: own, groups_of, ...process }: NewProcess & { groups: NewGroup[] | null; groups_of: string | null },
  key: IdempotencyKey | null,
  actor: Actor,
): Promise<Process | null> {
  const source = groups_of ? groupsOf(groups_of) : newGroups(own ?? [])
  return create(db, 'process', process.id, key, actor, {
    row: db.insert(processes).values({ ...process, ...folded(process) }),
    groups: statement(
      db,
      sql`
      insert into groups (id, process_id, name, name_folded, color, description)
      select ${newUuid}, ${process.id}, name, name_folded, color, description from (${source.groups})`,
    ),
    questionnaires: insertQuestionnaires(db, process.id, source.questionnaires),
  })
}

/** Creates a group with its questionnaires. */
export function createGroup(
  db: Database,
  { questionnaires: titles, ...group }: NewGroup & { id: string; process_id: string },
  key: IdempotencyKey | null,
  actor: Actor,
): Promise<Process | null> {
  const source = newGroups([{ ...group, questionnaires: titles }])
  return create(db, 'group', group.id, key, actor, {
    row: db.insert(groups).values({ ...group, ...folded(group) }),
    questionnaires: insertQuestionnaires(db, group.process_id, source.questionnaires),
  })
}

/** Creates a questionnaire. */
export function createQuestionnaire(
  db: Database,
  questionnaire: { id: string; group_id: string; title: string },
  key: IdempotencyKey | null,
  actor: Actor,
): Promise<Process | null> {
  const row = db.insert(questionnaires).values({ ...questionnaire, ...folded(questionnaire) })
  return create(db, 'questionnaire', questionnaire.id, key, actor, { row })
}

const insertQuestionnaires = (db: Database, processId: string, source: SQL) =>
  statement(
    db,
    sql`
    insert into questionnaires (id, group_id, title, title_folded)
    select ${newUuid}, groups.id, title, title_folded
    from (${source}) join groups on groups.process_id = ${processId} and groups.name = group_name`,
  )

/** Queries the groups of a process, and their questionnaires. */
const groupsOf = (processId: string) => ({
  groups: sql`select name, name_folded, color, description from groups where process_id = ${processId}`,
  questionnaires: sql`
    select groups.name as group_name, title, title_folded
    from groups join questionnaires on group_id = groups.id where process_id = ${processId}`,
})

/** Queries new groups and their questionnaires alike. A body of 64 KiB stays below D1's limit of 2 MB per value. */
function newGroups(list: NewGroup[]) {
  const rows = list.map(({ questionnaires: titles, ...group }) => ({
    ...group,
    ...folded(group),
    questionnaires: titles?.map((title) => ({ title, ...folded({ title }) })),
  }))
  const json = JSON.stringify(rows)
  const text = (column: string) => sql.raw(`value ->> '${column}' as ${column}`)
  return {
    groups: sql`
      select ${text('name')}, ${text('name_folded')}, ${text('color')}, ${text('description')}
      from json_each(${json})`,
    questionnaires: sql`
      select rows.value ->> 'name' as group_name, titles.${text('title')}, titles.${text('title_folded')}
      from json_each(${json}) as rows, json_each(rows.value, '$.questionnaires') as titles`,
  }
}

function create(
  db: Database,
  part: Part,
  id: string,
  key: IdempotencyKey | null,
  actor: Actor,
  { row, ...others }: { row: Statement } & Record<string, Statement>,
): Promise<Process | null> {
  const statements = {
    row,
    audit: insertAuditEvent(db, actor, `${part}.created`, id),
    ...(key && { key: insertIdempotencyKey(db, key, id) }),
    ...others,
  }
  return createRow(db, statements, selectProcess(db, part, id))
}

/** Updates the fields that differ of a process, group or questionnaire. */
export function updatePart(db: Database, part: Part, id: string, fields: Record<string, string>, actor: Actor) {
  const changes = { ...fields, ...folded(fields) }
  return updateRow(db, { table: TABLES[part], type: part }, id, changes, selectProcess(db, part, id), actor)
}

/** Deletes a process, group or questionnaire with what it has. References refuse it where there are informers. */
export function deletePart(db: Database, part: Part, id: string, actor: Actor) {
  const isInside = part === 'process' ? eq(groups.process_id, id) : eq(groups.id, id)
  const inside = db.select({ id: groups.id }).from(groups).where(isInside)
  return deleteRow(db, { table: TABLES[part], type: part }, id, actor, {
    questionnaires: db.delete(questionnaires).where(inArray(questionnaires.group_id, inside)),
    ...(part === 'process' && { groups: db.delete(groups).where(isInside) }),
  })
}
