import { and, eq, sql } from 'drizzle-orm'
import {
  changeInformer,
  type ChangedInformer,
  isInformer,
  selectRelated,
} from './associations.ts'
import type { Actor } from '#database/actor.ts'
import { prepareAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import {
  informerCompletions,
  informerGroups,
  questionnaires,
  users,
} from '#database/schema.ts'
import { hasNoRow, hasRow } from '#database/sql/conditions.ts'
import {
  type Placeholders,
  prepareQuery,
  prepareStatement,
} from '#database/sql/prepared.ts'

// Each change is one transaction and one round trip.

type Completion = Placeholders<{ informerId: string; questionnaireId: string }>

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

const isNew = (completion: Completion) =>
  and(
    isInformer(completion.informerId),
    hasRow(questionnaires, isOwn(completion)),
    hasNoRow(informerCompletions, isCompletion(completion)),
  )

const selectOwnQuestionnaire = prepareQuery((db, completion: Completion) =>
  db.select({ id: questionnaires.id }).from(questionnaires).where(isOwn(completion)),
)

const recordCompletion = prepareAuditEvents(
  'questionnaire.completed',
  (completion: Completion) =>
    selectRelated(isNew(completion), completion.questionnaireId),
)

const insertCompletion = prepareStatement(
  (completion: Completion) => sql`
    insert into ${informerCompletions} (informer_id, questionnaire_id)
    select ${users.id}, ${completion.questionnaireId} from ${users}
    where ${isNew(completion)}`,
)

/** Records that an informer has completed a questionnaire of one of their groups. */
export function completeQuestionnaire(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const completion = { informerId, questionnaireId }
  const writes = [recordCompletion(actor, completion), insertCompletion(completion)]
  const own = selectOwnQuestionnaire(db, completion)
  return changeInformer(db, informerId, writes, own, actor)
}

const recordReopening = prepareAuditEvents(
  'questionnaire.reopened',
  (completion: Completion) => sql`
    select informer_id as id, questionnaire_id as related_id
    from ${informerCompletions} where ${isCompletion(completion)}`,
)

const deleteCompletion = prepareStatement(
  (completion: Completion) =>
    sql`delete from ${informerCompletions} where ${isCompletion(completion)}`,
)

/** Deletes a completion. */
export function reopenQuestionnaire(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<ChangedInformer> {
  const completion = { informerId, questionnaireId }
  const writes = [recordReopening(actor, completion), deleteCompletion(completion)]
  const own = selectOwnQuestionnaire(db, completion)
  return changeInformer(db, informerId, writes, own, actor)
}
