import { and, eq, ne, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { type Actor, record } from './audit-events.ts'
import { createAndRead, deleteUnlessReferenced, updateAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { differs, type Exactly, findViolations, hasRow } from './conditions.ts'
import { insertIdempotencyKey } from './idempotency-keys.ts'
import { type ProcessWithGroups, selectProcess } from './processes.ts'
import { groups, questionnaires } from './schema.ts'

/** The columns of a questionnaire that come from a request. */
export type NewQuestionnaire = Pick<typeof questionnaires.$inferInsert, 'title'>

/** The process of a questionnaire. */
const selectProcessOf = (db: Database, questionnaireId: string) =>
  selectProcess(
    db,
    sql`(
      select ${groups.process_id} from ${questionnaires}
      join ${groups} on ${groups.id} = ${questionnaires.group_id}
      where ${questionnaires.id} = ${questionnaireId})`,
  )

/** The process of a questionnaire, or null. One round trip. */
export async function getProcessOfQuestionnaire(
  db: Database,
  id: string,
): Promise<ProcessWithGroups | null> {
  return (await selectProcessOf(db, id).get()) ?? null
}

/**
 * The field `title`, if another questionnaire of the group has it, without case and accents. One
 * round trip at most.
 * @param place the group of a new questionnaire, or the questionnaire that may keep its title
 */
export function findInvalidQuestionnaireFields(
  db: Database,
  { title }: { title?: string | undefined },
  place: { groupId: string } | { questionnaireId: string },
) {
  const isBeside =
    'groupId' in place
      ? eq(questionnaires.group_id, place.groupId)
      : and(
          sql`${questionnaires.group_id} = (
            select group_id from ${questionnaires} where id = ${place.questionnaireId})`,
          ne(questionnaires.id, place.questionnaireId),
        )
  const isTaken = (title: string) =>
    hasRow(questionnaires, and(isBeside, eq(questionnaires.title_folded, fold(title))))
  return findViolations(db, { title: title === undefined ? null : isTaken(title) })
}

/**
 * Creates a questionnaire.
 * @returns its process, or null if a unique index or the missing group refused it
 */
export function createQuestionnaire<
  New extends NewQuestionnaire & { id: string; group_id: string },
>(
  db: Database,
  questionnaire: Exactly<NewQuestionnaire & { id: string; group_id: string }, New>,
  actor: Actor,
): Promise<ProcessWithGroups | null> {
  const { id, title } = questionnaire
  const writes = [
    record(actor, 'questionnaire.created', id),
    db.insert(questionnaires).values({ ...questionnaire, title_folded: fold(title) }),
    ...insertIdempotencyKey(db, actor, id),
  ]
  return createAndRead(db, writes, selectProcessOf(db, id))
}

/**
 * Updates the title of a questionnaire, if it differs.
 * @returns its process, null if there is no such questionnaire; or 'refused' by a unique index
 */
export async function updateQuestionnaire<Changes extends Partial<NewQuestionnaire>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewQuestionnaire>, Changes>,
  actor: Actor,
): Promise<ProcessWithGroups | null | 'refused'> {
  const { title }: Partial<NewQuestionnaire> = changes
  const isChanged = and(eq(questionnaires.id, id), differs(questionnaires, changes))
  const update = db
    .update(questionnaires)
    .set({ ...changes, ...(title !== undefined && { title_folded: fold(title) }) })
    .where(isChanged)
  const writes = [
    record(
      actor,
      'questionnaire.updated',
      sql`select id from ${questionnaires} where ${isChanged}`,
    ),
    update,
  ]
  return updateAndRead(db, writes, selectProcessOf(db, id))
}

/**
 * Deletes a questionnaire. Existence is read first, because a retried deletion finds none.
 * @returns false if there is none; or 'refused' by a completion
 */
export async function deleteQuestionnaire(
  db: Database,
  id: string,
  actor: Actor,
): Promise<boolean | 'refused'> {
  const isSame = eq(questionnaires.id, id)
  const found = await db
    .select({ id: questionnaires.id })
    .from(questionnaires)
    .where(isSame)
    .get()
  if (!found) return false

  return deleteUnlessReferenced(db, [
    record(
      actor,
      'questionnaire.deleted',
      sql`select id from ${questionnaires} where ${isSame}`,
    ),
    db.delete(questionnaires).where(isSame),
  ])
}
