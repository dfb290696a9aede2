import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import { hasRole } from './conditions.ts'
import { selectUser, type UserRow } from './user-row.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents, isRecorded } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { auditEvents } from '#database/schema/audit-events.ts'
import {
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
} from '#database/schema/processes.ts'
import { users } from '#database/schema/users.ts'
import { NOW } from '#database/sql/columns.ts'
import { hasNoRow, hasRow } from '#database/sql/conditions.ts'
import {
  type RowQuery,
  runTransaction,
  runTransactionIf,
  type Statement,
} from '#database/transactions.ts'

/** An informer after a change, and whether the group or questionnaire exists for them. */
export type ChangedInformer = { informer: UserRow | null; isFound: boolean }

// Each change is one transaction and one round trip.

export const isInformer = (id: string) => and(eq(users.id, id), hasRole('informer'))

const isPair = (informerId: string, groupId: string) =>
  and(eq(informerGroups.informer_id, informerId), eq(informerGroups.group_id, groupId))

/** Builds the query of an informer as the subject of a record, and of a related row. */
export const selectRelated = (where: SQL | undefined, relatedId: string): SQL =>
  sql`select ${users.id}, ${relatedId} as related_id from ${users} where ${where}`

/** Associates an informer with a group. */
export async function associateGroup(
  db: Database,
  informerId: string,
  groupId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const isNew = and(
    isInformer(informerId),
    hasRow(groups, eq(groups.id, groupId)),
    hasNoRow(informerGroups, isPair(informerId, groupId)),
  )
  const writes = [
    insertAuditEvents(actor, 'group.associated', selectRelated(isNew, groupId)),
    db.update(users).set({ updated_at: NOW }).where(isNew),
    sql`
      insert into ${informerGroups} (informer_id, group_id, process_id, name_folded)
      select ${users.id}, ${groups.id}, ${groups.process_id}, ${users.name_folded}
      from ${users} join ${groups} on ${groups.id} = ${groupId}
      where ${isNew}`,
  ]
  return changeInformer(db, informerId, writes, selectGroup(db, groupId), actor)
}

/** Ends an association and forgets its completions. */
export async function dissociateGroup(
  db: Database,
  informerId: string,
  groupId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const writes = endPairs(db, isPair(informerId, groupId), actor)
  return changeInformer(db, informerId, writes, selectGroup(db, groupId), actor)
}

/**
 * Ends every association with a process and forgets their completions.
 * @returns the number of pairs; null if there is no such process
 */
export async function dissociateProcess(
  db: Database,
  processId: string,
  actor: Actor,
): Promise<number | null> {
  const isProcess = eq(processes.id, processId)
  const isOfProcess = eq(informerGroups.process_id, processId)
  const emptied = sql`
    select process_id as id from ${informerGroups} where ${isOfProcess} limit 1`
  const ended = await runTransactionIf(db, hasRow(processes, isProcess), {
    actor,
    writes: [
      insertAuditEvents(actor, 'process.emptied', emptied),
      ...endPairs(db, isOfProcess, actor),
    ],
    reads: {
      counted: db
        .select({ total: count() })
        .from(auditEvents)
        .where(isRecorded(actor, 'group.dissociated')),
    },
  })
  return ended && (ended.counted[0]?.total ?? 0)
}

/** Builds the statements that end pairs. */
function endPairs(db: Database, where: SQL | undefined, actor: Actor): Statement[] {
  const { informer_id, questionnaire_id } = informerCompletions
  const ofPairs = sql`from ${informerGroups} where ${where}`
  return [
    insertAuditEvents(
      actor,
      'group.dissociated',
      sql`select informer_id as id, group_id as related_id ${ofPairs}`,
    ),
    db
      .update(users)
      .set({ updated_at: NOW })
      .where(sql`${users.id} in (select informer_id ${ofPairs})`),
    db.delete(informerCompletions).where(
      sql`(${informer_id}, ${questionnaire_id}) in (
        select ${informerGroups.informer_id}, ${questionnaires.id}
        from ${informerGroups} join ${questionnaires}
          on ${questionnaires.group_id} = ${informerGroups.group_id}
        where ${where})`,
    ),
    db.delete(informerGroups).where(where),
  ]
}

/** Writes, and reads the group or questionnaire, and the informer, where they exist. */
export async function changeInformer(
  db: Database,
  informerId: string,
  writes: Statement[],
  found: RowQuery<{ id: string }>,
  actor: Actor,
): Promise<ChangedInformer> {
  const results = await runTransaction(db, {
    actor,
    writes,
    reads: { found, informers: selectUser(db, { role: 'informer', id: informerId }) },
  })
  return { informer: results.informers[0] ?? null, isFound: results.found.length > 0 }
}

const selectGroup = (db: Database, id: string) =>
  db.select({ id: groups.id }).from(groups).where(eq(groups.id, id))
