import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm'
import {
  type Actor,
  hasRecord,
  record,
  recordPairs,
  selectRecordedPairs,
} from './audit-events.ts'
import { type Statement, writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { hasNoRow } from './conditions.ts'
import {
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
  users,
} from './schema.ts'
import { hasRole, selectUser, type UserRow, selectUserIds } from './users.ts'

/**
 * The informer after a change, or null; and whether the group or questionnaire is there for them.
 */
export type ChangedInformer = { informer: UserRow | null; isFound: boolean }

// Each change is one idempotent transaction and one round trip.

const isInformer = (id: string) => and(eq(users.id, id), hasRole('informer'))

const isPair = (informerId: string, groupId: string) =>
  and(eq(informerGroups.informer_id, informerId), eq(informerGroups.group_id, groupId))

const isCompletion = (informerId: string, questionnaireId: string) =>
  and(
    eq(informerCompletions.informer_id, informerId),
    eq(informerCompletions.questionnaire_id, questionnaireId),
  )

/** Associates an informer with a group. */
export async function associateGroup(
  db: Database,
  informerId: string,
  groupId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const isNew = hasNoRow(informerGroups, isPair(informerId, groupId))
  const fromBoth = sql`from ${users} join ${groups} on ${groups.id} = ${groupId}`
  const writes = [
    record(
      actor,
      'group.associated',
      sql`select ${users.id} ${fromBoth} where ${and(isInformer(informerId), isNew)}`,
    ),
    sql`
      insert into ${informerGroups} (informer_id, group_id, process_id, name_folded)
      select ${users.id}, ${groups.id}, ${groups.process_id}, ${users.name_folded} ${fromBoth}
      where ${and(isInformer(informerId), isNew)}`,
    touchInformer(db, informerId, actor),
  ]
  return changeInformer(db, informerId, writes, selectGroup(db, groupId))
}

/** Ends an association and forgets its completions. */
export async function dissociateGroup(
  db: Database,
  informerId: string,
  groupId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const writes = endPairs(db, isPair(informerId, groupId), actor)
  return changeInformer(db, informerId, writes, selectGroup(db, groupId))
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
  const writes = endPairs(db, eq(informerGroups.process_id, processId), actor)
  const { found, counted } = await writeAndRead(db, writes, {
    found: db
      .select({ id: processes.id })
      .from(processes)
      .where(eq(processes.id, processId)),
    counted: db.select({ total: count() }).from(selectEndedPairs(db, actor).as('ended')),
  })
  return found.length === 0 ? null : (counted[0]?.total ?? 0)
}

/**
 * Builds the statements that end pairs. Those after the record do the rest to what is recorded,
 * which a retry no longer finds.
 */
function endPairs(db: Database, where: SQL | undefined, actor: Actor): Statement[] {
  const isEnded = inArray(informerGroups.id, selectEndedPairs(db, actor))
  const informers = db
    .select({ id: informerGroups.informer_id })
    .from(informerGroups)
    .where(isEnded)
  const completions = sql`(
    select ${informerGroups.informer_id}, ${questionnaires.id}
    from ${informerGroups} join ${questionnaires}
    on ${questionnaires.group_id} = ${informerGroups.group_id} where ${isEnded})`
  const { informer_id, questionnaire_id } = informerCompletions
  return [
    recordPairs(
      actor,
      'group.dissociated',
      sql`select informer_id as id, id as pair_id from ${informerGroups} where ${where}`,
    ),
    db.update(users).set({ updated_at: NOW }).where(inArray(users.id, informers)),
    db
      .delete(informerCompletions)
      .where(sql`(${informer_id}, ${questionnaire_id}) in ${completions}`),
    db.delete(informerGroups).where(isEnded),
  ]
}

/** The pairs that this request has ended. */
const selectEndedPairs = (db: Database, actor: Actor) =>
  selectRecordedPairs(db, actor, 'group.dissociated')

/** Records that an informer has completed a questionnaire of one of their groups. */
export async function completeQuestionnaire(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const own = selectOwnQuestionnaire(db, informerId, questionnaireId)
  const isNew = and(
    isInformer(informerId),
    sql`exists ${own}`,
    hasNoRow(informerCompletions, isCompletion(informerId, questionnaireId)),
  )
  const writes = [
    record(actor, 'questionnaire.completed', selectUserIds(isNew)),
    sql`
      insert into ${informerCompletions} (informer_id, questionnaire_id)
      select ${users.id}, ${questionnaireId} from ${users} where ${isNew}`,
  ]
  return changeInformer(db, informerId, writes, own)
}

/** Takes a completion back. */
export async function reopenQuestionnaire(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const completion = isCompletion(informerId, questionnaireId)
  const writes = [
    record(
      actor,
      'questionnaire.reopened',
      sql`select informer_id as id from ${informerCompletions} where ${completion}`,
    ),
    db.delete(informerCompletions).where(completion),
  ]
  return changeInformer(
    db,
    informerId,
    writes,
    selectOwnQuestionnaire(db, informerId, questionnaireId),
  )
}

/** Writes, and reads what is found of the group or questionnaire, and the informer. */
async function changeInformer(
  db: Database,
  informerId: string,
  writes: Statement[],
  found: ReturnType<typeof selectGroup | typeof selectOwnQuestionnaire>,
): Promise<ChangedInformer> {
  const results = await writeAndRead(db, writes, {
    found,
    informers: selectUser(db, 'informer', informerId),
  })
  return { informer: results.informers[0] ?? null, isFound: results.found.length > 0 }
}

/** An association that this request has changed moves the informer's `updated_at`. */
const touchInformer = (db: Database, informerId: string, actor: Actor) =>
  db
    .update(users)
    .set({ updated_at: NOW })
    .where(and(eq(users.id, informerId), hasRecord(actor, informerId)))

const selectGroup = (db: Database, id: string) =>
  db.select({ id: groups.id }).from(groups).where(eq(groups.id, id))

/** The questionnaire, if it is in one of the informer's groups. */
const selectOwnQuestionnaire = (
  db: Database,
  informerId: string,
  questionnaireId: string,
) =>
  db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .innerJoin(informerGroups, eq(informerGroups.group_id, questionnaires.group_id))
    .where(
      and(
        eq(questionnaires.id, questionnaireId),
        eq(informerGroups.informer_id, informerId),
      ),
    )
