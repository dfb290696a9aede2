import { and, eq, inArray, ne } from 'drizzle-orm'
import { insertGroups, type NewGroupWithQuestionnaires } from './groups.ts'
import { type ProcessWithGroups, selectProcess } from './read.ts'
import type { Actor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import type { IdempotencyKey } from '#database/idempotency-keys.ts'
import { createRow, deleteRow, updateRow } from '#database/recorded-rows.ts'
import { groups, processes, questionnaires } from '#database/schema/processes.ts'
import {
  type Exactly,
  findViolations,
  hasNoRow,
  hasRow,
} from '#database/sql/conditions.ts'
import { fold } from '#domain/folding.ts'

/** The columns of a process that come from a request. */
type NewProcess = Pick<typeof processes.$inferInsert, 'name' | 'protocol'>

/**
 * Returns the fields whose value is taken, ignoring case and accents, or refers to no process. One
 * round trip at most.
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
 * Creates a process with its groups and their questionnaires.
 * @throws {RefusedError} by a unique index
 */
export function createProcess<New extends NewProcess & { id: string }>(
  db: Database,
  process: Exactly<NewProcess & { id: string }, New>,
  groups: NewGroupWithQuestionnaires[],
  actor: Actor,
  keys: IdempotencyKey[] = [],
): Promise<ProcessWithGroups> {
  const { id } = process
  const insertProcess = db.insert(processes).values({
    ...process,
    name_folded: fold(process.name),
    protocol_folded: fold(process.protocol),
  })
  const inserts = [
    insertProcess,
    ...insertGroups(
      groups.map((group) => ({ ...group, id: crypto.randomUUID(), process_id: id })),
    ),
  ]
  const created = selectProcess(db, id)
  return createRow(db, { id, action: 'process.created' }, inserts, actor, keys, created)
}

/**
 * Updates the fields of a process that differ.
 * @returns the process, or null if there is none
 * @throws {RefusedError} by a unique index
 */
export function updateProcess<Changes extends Partial<NewProcess>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewProcess>, Changes>,
  actor: Actor,
): Promise<ProcessWithGroups | null> {
  const fields: Partial<NewProcess> = changes
  const { name, protocol } = fields
  return updateRow(
    db,
    { table: processes, id, action: 'process.updated' },
    {
      ...fields,
      name_folded: name === undefined ? undefined : fold(name),
      protocol_folded: protocol === undefined ? undefined : fold(protocol),
    },
    actor,
    selectProcess(db, id),
  )
}

/**
 * Deletes a process with its groups and questionnaires.
 * @returns whether there was one
 * @throws {RefusedError} by the reference of an informer
 */
export function deleteProcess(db: Database, id: string, actor: Actor): Promise<boolean> {
  const isInProcess = eq(groups.process_id, id)
  const ofProcess = db.select({ id: groups.id }).from(groups).where(isInProcess)
  return deleteRow(db, { table: processes, id, action: 'process.deleted' }, actor, [
    db.delete(questionnaires).where(inArray(questionnaires.group_id, ofProcess)),
    db.delete(groups).where(isInProcess),
  ])
}
