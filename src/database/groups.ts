import { and, eq, ne, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { type Actor, record } from './audit-events.ts'
import {
  createAndRead,
  deleteUnlessReferenced,
  type Statement,
  updateAndRead,
} from './batch.ts'
import type { Database } from './client.ts'
import { differs, type Exactly, findViolations, hasRow } from './conditions.ts'
import { insertIdempotencyKey } from './idempotency-keys.ts'
import { insertRows } from './json-rows.ts'
import { type ProcessWithGroups, selectProcess } from './processes.ts'
import { groups, questionnaires } from './schema.ts'

/** The columns of a group that come from a request. */
export type NewGroup = Pick<typeof groups.$inferInsert, 'name' | 'color' | 'description'>

export type NewGroupWithQuestionnaires = NewGroup & {
  /** Their titles. */
  questionnaires?: string[] | null | undefined
}

/** The process of a group. */
const selectProcessOf = (db: Database, groupId: string) =>
  selectProcess(db, sql`(select process_id from ${groups} where id = ${groupId})`)

/** The process of a group, or null. One round trip. */
export async function getProcessOfGroup(
  db: Database,
  id: string,
): Promise<ProcessWithGroups | null> {
  return (await selectProcessOf(db, id).get()) ?? null
}

/**
 * The field `name`, if another group of the process has it, without case and accents. One round
 * trip at most.
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
          sql`${groups.process_id} = (select process_id from ${groups} where id = ${place.groupId})`,
          ne(groups.id, place.groupId),
        )
  const isTaken = (name: string) =>
    hasRow(groups, and(isBeside, eq(groups.name_folded, fold(name))))
  return findViolations(db, { name: name === undefined ? null : isTaken(name) })
}

/** Builds the statements that insert groups with their questionnaires: any number of rows. */
export function insertGroups(
  newGroups: (NewGroupWithQuestionnaires & { id: string; process_id: string })[],
): Statement[] {
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
 * Creates a group with its questionnaires. One transaction.
 * @returns its process, or null if a unique index or the missing process refused it
 */
export function createGroup<
  New extends NewGroupWithQuestionnaires & { id: string; process_id: string },
>(
  db: Database,
  group: Exactly<NewGroupWithQuestionnaires & { id: string; process_id: string }, New>,
  actor: Actor,
): Promise<ProcessWithGroups | null> {
  const writes = [
    record(actor, 'group.created', group.id),
    ...insertIdempotencyKey(db, actor, group.id),
    ...insertGroups([group]),
  ]
  return createAndRead(db, writes, selectProcessOf(db, group.id))
}

/**
 * Updates the fields of a group that differ.
 * @returns its process, null if there is no such group; or 'refused' by a unique index
 */
export async function updateGroup<Changes extends Partial<NewGroup>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewGroup>, Changes>,
  actor: Actor,
): Promise<ProcessWithGroups | null | 'refused'> {
  const { name }: Partial<NewGroup> = changes
  const isChanged = and(eq(groups.id, id), differs(groups, changes))
  const update = db
    .update(groups)
    .set({ ...changes, ...(name !== undefined && { name_folded: fold(name) }) })
    .where(isChanged)
  const writes = [
    record(actor, 'group.updated', sql`select id from ${groups} where ${isChanged}`),
    update,
  ]
  return updateAndRead(db, writes, selectProcessOf(db, id))
}

/**
 * Deletes a group with its questionnaires. Existence is read first, because a retried deletion
 * finds none.
 * @returns false if there is none; or 'refused' by the reference of an informer
 */
export async function deleteGroup(
  db: Database,
  id: string,
  actor: Actor,
): Promise<boolean | 'refused'> {
  const found = await db
    .select({ id: groups.id })
    .from(groups)
    .where(eq(groups.id, id))
    .get()
  if (!found) return false

  return deleteUnlessReferenced(db, [
    record(actor, 'group.deleted', sql`select id from ${groups} where id = ${id}`),
    db.delete(questionnaires).where(eq(questionnaires.group_id, id)),
    db.delete(groups).where(eq(groups.id, id)),
  ])
}
