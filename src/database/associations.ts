import { and, eq, inArray, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { type Actor, type AuditAction, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, statement, unlessRefused } from './client.ts'
import { groups, informerCompletions, informerGroups, questionnaires } from './schema.ts'
import { insertAssociation } from './user-changes.ts'
import { hasRole, type Informer, readUser, selectUser, toInformer } from './users.ts'

/** The informer after a change, or null; and whether the group or questionnaire exists for them. */
type Changed = { informer: Informer | null; isKnown: boolean }

// Each change is one idempotent transaction and one round trip.

/** Associates an informer with a group. */
export const associate = (db: Database, informerId: string, groupId: string, actor: Actor) =>
  change(db, informerId, actor, 'group.associated', selectGroup(db, groupId), {
    association: insertAssociation(db, informerId, groupId),
  })

/** Deletes an association and its completions. */
export function dissociate(db: Database, informerId: string, groupId: string, actor: Actor) {
  const isOfGroup = inArray(
    informerCompletions.questionnaire_id,
    db.select({ id: questionnaires.id }).from(questionnaires).where(eq(questionnaires.group_id, groupId)),
  )
  return change(db, informerId, actor, 'group.dissociated', selectGroup(db, groupId), {
    completions: db.delete(informerCompletions).where(and(eq(informerCompletions.informer_id, informerId), isOfGroup)),
    association: db
      .delete(informerGroups)
      .where(and(eq(informerGroups.informer_id, informerId), eq(informerGroups.group_id, groupId))),
  })
}

/** Records that an informer has completed a questionnaire of one of their groups. */
export function complete(db: Database, informerId: string, questionnaireId: string, actor: Actor) {
  const own = selectOwnQuestionnaire(db, informerId, questionnaireId)
  const completion = statement(
    db,
    sql`insert into informer_completions (informer_id, questionnaire_id)
      select users.id, ${questionnaireId} from users
      where users.id = ${informerId} and ${hasRole('informer')} and exists ${own}
      on conflict do nothing`,
  )
  return change(db, informerId, actor, 'questionnaire.completed', own, { completion })
}

/** Takes a completion back. */
export function reopen(db: Database, informerId: string, questionnaireId: string, actor: Actor) {
  const own = selectOwnQuestionnaire(db, informerId, questionnaireId)
  const isCompletion = and(
    eq(informerCompletions.informer_id, informerId),
    eq(informerCompletions.questionnaire_id, questionnaireId),
  )
  const completion = db.delete(informerCompletions).where(isCompletion)
  return change(db, informerId, actor, 'questionnaire.reopened', own, { completion })
}

/** Writes, and records it if the last statement changed a row. */
async function change(
  db: Database,
  informerId: string,
  actor: Actor,
  action: AuditAction,
  subject: ReturnType<typeof selectGroup | typeof selectOwnQuestionnaire>,
  writes: Record<string, BatchItem<'sqlite'>>,
): Promise<Changed> {
  const done = await unlessRefused(
    batch(db, {
      subject,
      ...writes,
      audit: insertAuditEvent(db, actor, action, informerId),
      rows: selectUser(db, 'informer', informerId),
    } as const),
  )
  const row = done ? done.rows[0] : await readUser(db, 'informer', informerId)
  const isKnown = done !== null && done.subject.length > 0 // refused: no such group
  return { informer: row ? toInformer(row) : null, isKnown }
}

const selectGroup = (db: Database, id: string) => db.select({ id: groups.id }).from(groups).where(eq(groups.id, id))

/** The questionnaire, if it is in one of the informer's groups. */
const selectOwnQuestionnaire = (db: Database, informerId: string, questionnaireId: string) =>
  db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .innerJoin(informerGroups, eq(informerGroups.group_id, questionnaires.group_id))
    .where(and(eq(questionnaires.id, questionnaireId), eq(informerGroups.informer_id, informerId)))
