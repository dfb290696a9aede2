import { and, eq, ne, not, type SQL, sql } from 'drizzle-orm'
import { type ProcessWithGroups, selectProcesses } from './read.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { type IdempotencyKey, insertIdempotencyKey } from '#database/idempotency-keys.ts'
import { deleteRow, updateRow } from '#database/recorded-rows.ts'
import { groups, processes, questionnaires } from '#database/schema/processes.ts'
import { type Exactly, findViolations, hasRow } from '#database/sql/conditions.ts'
import { insertRows } from '#database/sql/json-rows.ts'
import { readRow, runTransactionIf, type Statement } from '#database/transactions.ts'
import { fold } from '#domain/folding.ts'
import { MAX_GROUPS } from '#domain/process-limits.ts'

/** The columns of a group that come from a request. */
type NewGroup = Pick<typeof groups.$inferInsert, 'name' | 'color' | 'description'>

export type NewGroupWithQuestionnaires = NewGroup & {
  /** Their titles. */
  questionnaires?: string[] | null | undefined
}

type GroupOfProcess = NewGroupWithQuestionnaires & { id: string; process_id: string }

/** Builds the query of the process of a group. */
const selectProcessOf = (db: Database, groupId: string) =>
  selectProcesses(db).where(
    sql`${processes.id} = (select process_id from ${groups} where id = ${groupId})`,
  )

/**
 * Returns the process of a group, or null. One round trip.
 * @throws {EndedSessionError}
 */
export const getProcessOfGroup = (
  db: Database,
  id: string,
  actor: Actor,
): Promise<ProcessWithGroups | null> => readRow(db, selectProcessOf(db, id), actor)

/** A condition: a process has all the groups that it may have. */
const isFull = (processId: string): SQL =>
  sql`(select count(*) from ${groups} where ${groups.process_id} = ${processId}) >= ${MAX_GROUPS}`

/**
 * Returns the field `name` if another group of the process has that name, ignoring case and
 * accents, and `body` if the process may have no more groups. One round trip at most.
 * @param place the process of a new group, or the group that may keep its name
 */
export function findInvalidGroupFields(
  db: Database,
  { name }: { name?: string | undefined },
  place: { processId: string } | { groupId: string },
) {
  const isBeside =
    'processId' in place
      ? eq(groups.process_id, place.processId)
      : and(
          sql`${groups.process_id} = (
            select process_id from ${groups} where id = ${place.groupId})`,
          ne(groups.id, place.groupId),
        )
  const isTaken = (name: string) =>
    hasRow(groups, and(isBeside, eq(groups.name_folded, fold(name))))
  return findViolations(db, {
    name: name === undefined ? null : isTaken(name),
    body: 'processId' in place ? isFull(place.processId) : null,
  })
}

/** Builds the statements that insert groups with their questionnaires: any number of rows. */
export function insertGroups(newGroups: GroupOfProcess[]): Statement[] {
  const rows = newGroups.map((group) => ({ ...group, name_folded: fold(group.name) }))
  const inside = newGroups.flatMap(({ id, questionnaires }) =>
    (questionnaires ?? []).map((title) => ({
      id: crypto.randomUUID(),
      group_id: id,
      title,
      title_folded: fold(title),
    })),
  )
  const { id, process_id, name, name_folded, color, description } = groups
  return [
    insertRows(groups, [id, process_id, name, name_folded, color, description], rows),
    insertRows(
      questionnaires,
      [
        questionnaires.id,
        questionnaires.group_id,
        questionnaires.title,
        questionnaires.title_folded,
      ],
      inside,
    ),
  ]
}

/**
 * Creates a group with its questionnaires.
 * @returns its process, or null if there is none or it may have no more groups
 * @throws {RefusedError} by a unique index
 */
export async function createGroup<New extends GroupOfProcess>(
  db: Database,
  group: Exactly<GroupOfProcess, New>,
  actor: Actor,
  keys: IdempotencyKey[] = [],
): Promise<ProcessWithGroups | null> {
  const isProcess = and(eq(processes.id, group.process_id), not(isFull(group.process_id)))
  const created = await runTransactionIf(db, hasRow(processes, isProcess), {
    actor,
    writes: [
      insertAuditEvents(actor, 'group.created', group.id),
      ...insertGroups([group]),
      ...insertIdempotencyKey(db, keys, group.id),
    ],
    reads: { processes: selectProcessOf(db, group.id) },
  })
  return created?.processes[0] ?? null
}

/**
 * Updates the fields of a group that differ.
 * @returns its process, or null if there is no such group
 * @throws {RefusedError} by a unique index
 */
export function updateGroup<Changes extends Partial<NewGroup>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewGroup>, Changes>,
  actor: Actor,
): Promise<ProcessWithGroups | null> {
  const fields: Partial<NewGroup> = changes
  const name_folded = fields.name === undefined ? undefined : fold(fields.name)
  return updateRow(
    db,
    { table: groups, id, action: 'group.updated' },
    { ...fields, name_folded },
    actor,
    selectProcessOf(db, id),
  )
}

/**
 * Deletes a group with its questionnaires.
 * @returns whether there was one
 * @throws {RefusedError} by the reference of an informer
 */
export function deleteGroup(db: Database, id: string, actor: Actor): Promise<boolean> {
  return deleteRow(db, { table: groups, id, action: 'group.deleted' }, actor, [
    db.delete(questionnaires).where(eq(questionnaires.group_id, id)),
  ])
}
