import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { type Actor, recordEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { firstInformer, IS_INFORMER, selectInformer } from './informers.ts'
import { groups, informerCompletions, informerGroups, questionnaires, users } from './schema.ts'

// Each is one transaction and one round trip, and does nothing where it was done before.

/** Associates an informer with a group. The informer and whether there is such a group. */
export async function associate(db: Database, informerId: string, groupId: string, actor: Actor) {
  const [[group], , , rows] = await db.batch([
    selectGroup(db, groupId),
    db
      .insert(informerGroups)
      .select(
        db
          .select({
            id: sql`null`.as('id'),
            informer_id: users.id,
            group_id: groups.id,
            created_at: NOW.as('created_at'),
          })
          .from(users)
          .innerJoin(groups, eq(groups.id, groupId))
          .where(isInformer(informerId)),
      )
      .onConflictDoNothing(),
    recordEvent(db, actor, 'group.associated', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: group !== undefined }
}

/** Ends an association, and with it the completions in the group. The informer and whether there is such a group. */
export async function dissociate(db: Database, informerId: string, groupId: string, actor: Actor) {
  const ofGroup = db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .where(eq(questionnaires.group_id, groupId))
  const [[group], , , , rows] = await db.batch([
    selectGroup(db, groupId),
    db
      .delete(informerCompletions)
      .where(
        and(
          eq(informerCompletions.informer_id, informerId),
          inArray(informerCompletions.questionnaire_id, ofGroup),
        ),
      ),
    db
      .delete(informerGroups)
      .where(and(eq(informerGroups.informer_id, informerId), eq(informerGroups.group_id, groupId))),
    recordEvent(db, actor, 'group.dissociated', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: group !== undefined }
}

/** Records that an informer has completed a questionnaire. The informer and whether it is one of a group of theirs. */
export async function complete(db: Database, informerId: string, questionnaireId: string, actor: Actor) {
  const [[questionnaire], , , rows] = await db.batch([
    selectQuestionnaire(db, informerId, questionnaireId),
    db
      .insert(informerCompletions)
      .select(
        db
          .select({
            informer_id: users.id,
            questionnaire_id: sql`${questionnaireId}`.as('questionnaire_id'),
            created_at: NOW.as('created_at'),
          })
          .from(users)
          .where(
            and(isInformer(informerId), sql`exists ${selectQuestionnaire(db, informerId, questionnaireId)}`),
          ),
      )
      .onConflictDoNothing(),
    recordEvent(db, actor, 'questionnaire.completed', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: questionnaire !== undefined }
}

/** Takes back that an informer has completed a questionnaire. The informer and whether it is one of a group of theirs. */
export async function reopen(db: Database, informerId: string, questionnaireId: string, actor: Actor) {
  const [[questionnaire], , , rows] = await db.batch([
    selectQuestionnaire(db, informerId, questionnaireId),
    db
      .delete(informerCompletions)
      .where(
        and(
          eq(informerCompletions.informer_id, informerId),
          eq(informerCompletions.questionnaire_id, questionnaireId),
        ),
      ),
    recordEvent(db, actor, 'questionnaire.reopened', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: questionnaire !== undefined }
}

const isInformer = (id: string): SQL | undefined => and(eq(users.id, id), IS_INFORMER)

const selectGroup = (db: Database, id: string) =>
  db.select({ id: groups.id }).from(groups).where(eq(groups.id, id))

/** The questionnaire, where it is one of a group of the informer's. */
const selectQuestionnaire = (db: Database, informerId: string, questionnaireId: string) =>
  db
    .select({ questionnaire_id: questionnaires.id })
    .from(questionnaires)
    .innerJoin(informerGroups, eq(informerGroups.group_id, questionnaires.group_id))
    .where(and(eq(questionnaires.id, questionnaireId), eq(informerGroups.informer_id, informerId)))
