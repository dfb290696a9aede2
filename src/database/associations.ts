import { and, eq, inArray, sql } from 'drizzle-orm'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, statement, unlessRefused } from './client.ts'
import { type Informer, readInformer, toInformer } from './informers.ts'
import { groups, informerCompletions, informerGroups, questionnaires } from './schema.ts'
import { hasRole, insertAssociation, selectUser, type UserRow } from './users.ts'

/** The informer after a change, or null; and whether the group or questionnaire exists for them. */
type Changed = { informer: Informer | null; isKnown: boolean }

// Each function is one idempotent transaction and one round trip.

/** Associates an informer with a group. */
export async function associate(
  db: Database,
  informerId: string,
  groupId: string,
  actor: Actor,
): Promise<Changed> {
  const done = await unlessRefused(
    batch(db, {
      association: insertAssociation(db, informerId, groupId),
      audit: insertAuditEvent(db, actor, 'group.associated', informerId),
      rows: selectUser(db, 'informer', informerId),
    }),
  )
  if (!done) return { informer: await readInformer(db, informerId), isKnown: false }
  return { informer: first(done.rows), isKnown: true }
}

/** Deletes an association and its completions. */
export async function dissociate(
  db: Database,
  informerId: string,
  groupId: string,
  actor: Actor,
): Promise<Changed> {
  const ofGroup = db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .where(eq(questionnaires.group_id, groupId))
  const { group, rows } = await batch(db, {
    group: db.select({ id: groups.id }).from(groups).where(eq(groups.id, groupId)),
    completions: db
      .delete(informerCompletions)
      .where(
        and(
          eq(informerCompletions.informer_id, informerId),
          inArray(informerCompletions.questionnaire_id, ofGroup),
        ),
      ),
    association: db
      .delete(informerGroups)
      .where(and(eq(informerGroups.informer_id, informerId), eq(informerGroups.group_id, groupId))),
    audit: insertAuditEvent(db, actor, 'group.dissociated', informerId),
    rows: selectUser(db, 'informer', informerId),
  })
  return { informer: first(rows), isKnown: group.length > 0 }
}

/** Records that an informer has completed a questionnaire of one of their groups. */
export async function complete(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<Changed> {
  const questionnaire = selectQuestionnaire(db, informerId, questionnaireId)
  const { known, rows } = await batch(db, {
    known: questionnaire,
    completion: statement(
      db,
      sql`
      insert into informer_completions (informer_id, questionnaire_id)
      select users.id, ${questionnaireId} from users
      where users.id = ${informerId} and ${hasRole('informer')} and exists ${questionnaire}
      on conflict do nothing`,
    ),
    audit: insertAuditEvent(db, actor, 'questionnaire.completed', informerId),
    rows: selectUser(db, 'informer', informerId),
  })
  return { informer: first(rows), isKnown: known.length > 0 }
}

/** Takes a completion back. */
export async function reopen(
  db: Database,
  informerId: string,
  questionnaireId: string,
  actor: Actor,
): Promise<Changed> {
  const { known, rows } = await batch(db, {
    known: selectQuestionnaire(db, informerId, questionnaireId),
    completion: db
      .delete(informerCompletions)
      .where(
        and(
          eq(informerCompletions.informer_id, informerId),
          eq(informerCompletions.questionnaire_id, questionnaireId),
        ),
      ),
    audit: insertAuditEvent(db, actor, 'questionnaire.reopened', informerId),
    rows: selectUser(db, 'informer', informerId),
  })
  return { informer: first(rows), isKnown: known.length > 0 }
}

const first = ([row]: UserRow[]) => (row ? toInformer(row) : null)

/** The questionnaire, if it is in one of the informer's groups. */
const selectQuestionnaire = (db: Database, informerId: string, questionnaireId: string) =>
  db
    .select({ questionnaire_id: questionnaires.id })
    .from(questionnaires)
    .innerJoin(informerGroups, eq(informerGroups.group_id, questionnaires.group_id))
    .where(and(eq(questionnaires.id, questionnaireId), eq(informerGroups.informer_id, informerId)))
