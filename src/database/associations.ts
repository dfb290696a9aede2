import { and, eq, inArray, sql } from 'drizzle-orm'
import { type Actor, hasRecord, record } from './audit-events.ts'
import { type Statement, writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { hasNoRow } from './conditions.ts'
import {
  groups,
  informerCompletions,
  informerGroups,
  questionnaires,
  users,
} from './schema.ts'
import { hasRole, selectUser, type UserRow } from './users.ts'

/** The informer after a change, or null; and whether the group or questionnaire is there for them. */
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
  const ofGroup = db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .where(eq(questionnaires.group_id, groupId))
  const pair = sql`
    select informer_id as id from ${informerGroups} where ${isPair(informerId, groupId)}`
  const writes = [
    record(actor, 'group.dissociated', pair),
    db
      .delete(informerCompletions)
      .where(
        and(
          eq(informerCompletions.informer_id, informerId),
          inArray(informerCompletions.questionnaire_id, ofGroup),
        ),
      ),
    db.delete(informerGroups).where(isPair(informerId, groupId)),
    touchInformer(db, informerId, actor),
  ]
  return changeInformer(db, informerId, writes, selectGroup(db, groupId))
}

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
    record(
      actor,
      'questionnaire.completed',
      sql`select ${users.id} from ${users} where ${isNew}`,
    ),
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
