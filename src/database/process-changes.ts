import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { type Actor, record } from './audit-events.ts'
import { createAndRead, deleteUnlessReferenced, updateAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { differs, type Exactly, findViolations, hasNoRow, hasRow } from './conditions.ts'
import { insertGroups, type NewGroupWithQuestionnaires } from './groups.ts'
import { insertIdempotencyKey } from './idempotency-keys.ts'
import { type ProcessWithGroups, selectProcess } from './processes.ts'
import { groups, processes, questionnaires } from './schema.ts'

/** The columns of a process that come from a request. */
export type NewProcess = Pick<typeof processes.$inferInsert, 'name' | 'protocol'>

/**
 * The fields that are taken, without case and accents, or that refer to no process. One round trip
 * at most.
 * @param id the process that may keep its protocol; null for a new one
 */
export function findInvalidProcessFields(
  db: Database,
  {
    protocol,
    groups_of,
  }: { protocol?: string | undefined; groups_of?: string | null | undefined },
  id: string | null,
) {
  const isTaken = (protocol: string) =>
    hasRow(
      processes,
      and(
        eq(processes.protocol_folded, fold(protocol)),
        id ? ne(processes.id, id) : undefined,
      ),
    )
  return findViolations(db, {
    protocol: protocol === undefined ? null : isTaken(protocol),
    groups_of: groups_of ? hasNoRow(processes, eq(processes.id, groups_of)) : null,
  })
}

/**
 * Creates a process with its groups and their questionnaires. One transaction.
 * @returns the process, or null if a unique index refused it
 */
export function createProcess<New extends NewProcess & { id: string }>(
  db: Database,
  process: Exactly<NewProcess & { id: string }, New>,
  groups: NewGroupWithQuestionnaires[],
  actor: Actor,
): Promise<ProcessWithGroups | null> {
  const { id } = process
  const insertProcess = db.insert(processes).values({
    ...process,
    name_folded: fold(process.name),
    protocol_folded: fold(process.protocol),
  })
  const writes = [
    record(actor, 'process.created', id),
    insertProcess,
    ...insertIdempotencyKey(db, actor, id),
    ...insertGroups(
      groups.map((group) => ({ ...group, id: crypto.randomUUID(), process_id: id })),
    ),
  ]
  return createAndRead(db, writes, selectProcess(db, id))
}

/**
 * Updates the fields of a process that differ.
 * @returns the process, null if there is none; or 'refused' by a unique index
 */
export async function updateProcess<Changes extends Partial<NewProcess>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewProcess>, Changes>,
  actor: Actor,
): Promise<ProcessWithGroups | null | 'refused'> {
  const { name, protocol }: Partial<NewProcess> = changes
  const isChanged = and(eq(processes.id, id), differs(processes, changes))
  const update = db
    .update(processes)
    .set({
      ...changes,
      ...(name !== undefined && { name_folded: fold(name) }),
      ...(protocol !== undefined && { protocol_folded: fold(protocol) }),
    })
    .where(isChanged)
  return updateAndRead(
    db,
    [
      record(
        actor,
        'process.updated',
        sql`select id from ${processes} where ${isChanged}`,
      ),
      update,
    ],
    selectProcess(db, id),
  )
}

/**
 * Deletes a process with its groups and questionnaires. Existence is read first, because a retried
 * deletion finds none.
 * @returns false if there is none; or 'refused' by the reference of an informer
 */
export async function deleteProcess(
  db: Database,
  id: string,
  actor: Actor,
): Promise<boolean | 'refused'> {
  const found = await db
    .select({ id: processes.id })
    .from(processes)
    .where(eq(processes.id, id))
    .get()
  if (!found) return false

  const ofProcess = db
    .select({ id: groups.id })
    .from(groups)
    .where(eq(groups.process_id, id))
  return deleteUnlessReferenced(db, [
    record(actor, 'process.deleted', sql`select id from ${processes} where id = ${id}`),
    db.delete(questionnaires).where(inArray(questionnaires.group_id, ofProcess)),
    db.delete(groups).where(eq(groups.process_id, id)),
    db.delete(processes).where(eq(processes.id, id)),
  ])
}
