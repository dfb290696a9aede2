import { and, eq, sql } from 'drizzle-orm'
import { type Actor, type AuditAction, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, type Statement, unlessRefused } from './client.ts'
import { groups, informerGroups, questionnaires } from './schema.ts'
import { insertAssociation } from './user-changes.ts'
import { hasRole, type Informer, readUser, selectUser, toInformer } from './users.ts'

/** The informer after a change, or null; and whether the group or questionnaire exists for them. */
type Changed = { informer: Informer | null; isKnown: boolean }

// Each change is one idempotent transaction and one round trip.

/** Associates an informer with a group. */
export const associate = (db: Database, informerId: string, groupId: string, actor: Actor) =>
  change(db, informerId, actor, 'group.associated', selectGroup(db, groupId), {
    association: insertAssociation(informerId, groupId),
  })

/** Deletes an association and its completions. */
export const dissociate = (db: Database, informerId: string, groupId: string, actor: Actor) =>
  change(db, informerId, actor, 'group.dissociated', selectGroup(db, groupId), {
    completions: sql`
      delete from informer_completions where informer_id = ${informerId}
        and questionnaire_id in (select id from questionnaires where group_id = ${groupId})`,
    association: sql`delete from informer_groups where informer_id = ${informerId} and group_id = ${groupId}`,
  })

/** Records that an informer has completed a questionnaire of one of their groups. */
export function complete(db: Database, informerId: string, questionnaireId: string, actor: Actor) {
  const own = selectOwnQuestionnaire(db, informerId, questionnaireId)
  const completion = sql`
    insert into informer_completions (informer_id, questionnaire_id)
    select users.id, ${questionnaireId} from users
    where users.id = ${informerId} and ${hasRole('informer')} and exists ${own}
    on conflict do nothing`
  return change(db, informerId, actor, 'questionnaire.completed', own, { completion })
}

/** Takes a completion back. */
export const reopen = (db: Database, informerId: string, questionnaireId: string, actor: Actor) =>
  change(
    db,
    informerId,
    actor,
    'questionnaire.reopened',
    selectOwnQuestionnaire(db, informerId, questionnaireId),
    {
      completion: sql`
      delete from informer_completions where informer_id = ${informerId} and questionnaire_id = ${questionnaireId}`,
    },
  )

/** Writes, and records it if the last statement changed a row. */
async function change(
  db: Database,
  informerId: string,
  actor: Actor,
  action: AuditAction,
  subject: ReturnType<typeof selectGroup | typeof selectOwnQuestionnaire>,
  writes: Record<string, Statement>,
): Promise<Changed> {
  const done = await unlessRefused(
    batch(db, {
      subject,
      ...writes,
      audit: insertAuditEvent(actor, action, informerId),
      rows: selectUser(db, 'informer', informerId),
    } as const),
  )
  const row = done ? done.rows[0] : await readUser(db, 'informer', informerId)
  const isKnown = done !== null && done.subject.length > 0 // refused: no such group
  return { informer: row ? toInformer(row) : null, isKnown }
}

const selectGroup = (db: Database, id: string) =>
  db.select({ id: groups.id }).from(groups).where(eq(groups.id, id))

/** The questionnaire, if it is in one of the informer's groups. */
const selectOwnQuestionnaire = (db: Database, informerId: string, questionnaireId: string) =>
  db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .innerJoin(informerGroups, eq(informerGroups.group_id, questionnaires.group_id))
    .where(and(eq(questionnaires.id, questionnaireId), eq(informerGroups.informer_id, informerId)))
