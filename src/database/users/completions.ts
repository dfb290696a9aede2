import { and, eq, sql } from 'drizzle-orm'
import {
  changeInformer,
  type ChangedInformer,
  isInformer,
  selectRelated,
} from './associations.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import {
  informerCompletions,
  informerGroups,
  questionnaires,
} from '#database/schema/processes.ts'
import { users } from '#database/schema/users.ts'
import { hasNoRow, hasRow } from '#database/sql/conditions.ts'

// Each change is one transaction and one round trip.

type Completion = { informerId: string; questionnaireId: string }

const isCompletion = ({ informerId, questionnaireId }: Completion) =>
  and(
    eq(informerCompletions.informer_id, informerId),
    eq(informerCompletions.questionnaire_id, questionnaireId),
  )

/** A condition: the questionnaire is in one of the informer's groups. */
const isOwn = ({ informerId, questionnaireId }: Completion) =>
  and(
    eq(questionnaires.id, questionnaireId),
    hasRow(
      informerGroups,
      and(
        eq(informerGroups.group_id, questionnaires.group_id),
        eq(informerGroups.informer_id, informerId),
      ),
    ),
  )

const selectOwnQuestionnaire = (db: Database, completion: Completion) =>
  db.select({ id: questionnaires.id }).from(questionnaires).where(isOwn(completion))

/** Records that an informer has completed a questionnaire of one of their groups. */
export function completeQuestionnaire(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const completion = { informerId, questionnaireId }
  const isNew = and(
    isInformer(informerId),
    hasRow(questionnaires, isOwn(completion)),
    hasNoRow(informerCompletions, isCompletion(completion)),
  )
  const writes = [
    insertAuditEvents(
      actor,
      'questionnaire.completed',
      selectRelated(isNew, questionnaireId),
    ),
    sql`
      insert into ${informerCompletions} (informer_id, questionnaire_id)
      select ${users.id}, ${questionnaireId} from ${users} where ${isNew}`,
  ]
  const own = selectOwnQuestionnaire(db, completion)
  return changeInformer(db, informerId, writes, own, actor)
}

/** Deletes a completion. */
export function reopenQuestionnaire(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const completion = { informerId, questionnaireId }
  const reopened = sql`
    select informer_id as id, questionnaire_id as related_id
    from ${informerCompletions} where ${isCompletion(completion)}`
  const writes = [
    insertAuditEvents(actor, 'questionnaire.reopened', reopened),
    db.delete(informerCompletions).where(isCompletion(completion)),
  ]
  const own = selectOwnQuestionnaire(db, completion)
  return changeInformer(db, informerId, writes, own, actor)
}
