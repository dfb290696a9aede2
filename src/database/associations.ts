import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { firstInformer, IS_INFORMER, selectInformer } from './informers.ts'
import { groups, informerCompletions, informerGroups, questionnaires, users } from './schema.ts'

// Each function is one idempotent transaction and one round trip.

/** Associates an informer with a group. Returns the informer and whether the group exists. */
export async function associate(db: Database, informerId: string, groupId: string, actor: Actor) {
  const [[group], , , rows] = await db.batch([
    selectGroup(db, groupId),
    insertAssociation(db, groupId, isInformer(informerId)),
    insertAuditEvent(db, actor, 'group.associated', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: group !== undefined }
}

/**
 * The statement that associates users with a group, if it exists and they are not associated yet.
 *
 * @param groupId null for none
 * @param where the users
 */
export function insertAssociation(db: Database, groupId: string | null, where: SQL | undefined) {
  return db
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
        .innerJoin(groups, eq(groups.id, sql`${groupId}`))
        .where(where),
    )
    .onConflictDoNothing()
}

/** Deletes an association and its completions. Returns the informer and whether the group exists. */
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
    insertAuditEvent(db, actor, 'group.dissociated', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: group !== undefined }
}

/** Marks a questionnaire as completed. Returns the informer and whether the questionnaire is in one of their groups. */
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
    insertAuditEvent(db, actor, 'questionnaire.completed', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: questionnaire !== undefined }
}

/** Deletes a completion. Returns the informer and whether the questionnaire is in one of their groups. */
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
    insertAuditEvent(db, actor, 'questionnaire.reopened', informerId),
    selectInformer(db, informerId),
  ])
  return { informer: firstInformer(rows), isKnown: questionnaire !== undefined }
}

const isInformer = (id: string): SQL | undefined => and(eq(users.id, id), IS_INFORMER)

const selectGroup = (db: Database, id: string) =>
  db.select({ id: groups.id }).from(groups).where(eq(groups.id, id))

/** The questionnaire, if it is in one of the informer's groups. */
const selectQuestionnaire = (db: Database, informerId: string, questionnaireId: string) =>
  db
    .select({ questionnaire_id: questionnaires.id })
    .from(questionnaires)
    .innerJoin(informerGroups, eq(informerGroups.group_id, questionnaires.group_id))
    .where(and(eq(questionnaires.id, questionnaireId), eq(informerGroups.informer_id, informerId)))
