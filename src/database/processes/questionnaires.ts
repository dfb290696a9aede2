import { and, eq, ne, not, type SQL, sql } from 'drizzle-orm'
import { type ProcessWithGroups, selectProcesses } from './read.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { type IdempotencyKey, insertIdempotencyKey } from '#database/idempotency-keys.ts'
import { deleteRow, updateRow } from '#database/recorded-rows.ts'
import { groups, processes, questionnaires } from '#database/schema/processes.ts'
import { type Exactly, findViolations, hasRow } from '#database/sql/conditions.ts'
import { readRow, runTransactionIf } from '#database/transactions.ts'
import { fold } from '#domain/folding.ts'
import { MAX_QUESTIONNAIRES } from '#domain/process-limits.ts'

/** The columns of a questionnaire that come from a request. */
type NewQuestionnaire = Pick<typeof questionnaires.$inferInsert, 'title'>

type QuestionnaireOfGroup = NewQuestionnaire & { id: string; group_id: string }

/** Builds the query of the process of a questionnaire. */
const selectProcessOf = (db: Database, questionnaireId: string) =>
  selectProcesses(db).where(
    sql`${processes.id} = (
      select ${groups.process_id} from ${questionnaires}
      join ${groups} on ${groups.id} = ${questionnaires.group_id}
      where ${questionnaires.id} = ${questionnaireId})`,
  )

/**
 * Returns the process of a questionnaire, or null. One round trip.
 * @throws {EndedSessionError}
 */
export const getProcessOfQuestionnaire = (
  db: Database,
  id: string,
  actor: Actor,
): Promise<ProcessWithGroups | null> => readRow(db, selectProcessOf(db, id), actor)

/** A condition: a group has all the questionnaires that it may have. */
const isFull = (groupId: string): SQL => sql`(
  select count(*) from ${questionnaires} where ${questionnaires.group_id} = ${groupId}
) >= ${MAX_QUESTIONNAIRES}`

/**
 * Returns the field `title` if another questionnaire of the group has that title, ignoring case and
 * accents, and `body` if the group may have no more questionnaires. One round trip at most.
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
  return findViolations(db, {
    title: title === undefined ? null : isTaken(title),
    body: 'groupId' in place ? isFull(place.groupId) : null,
  })
}

/**
 * Creates a questionnaire.
 * @returns its process, or null if there is no such group or it may have no more questionnaires
 * @throws {RefusedError} by a unique index
 */
export async function createQuestionnaire<New extends QuestionnaireOfGroup>(
  db: Database,
  questionnaire: Exactly<QuestionnaireOfGroup, New>,
  actor: Actor,
  keys: IdempotencyKey[] = [],
): Promise<ProcessWithGroups | null> {
  const { id, title, group_id } = questionnaire
  const isGroup = and(eq(groups.id, group_id), not(isFull(group_id)))
  const created = await runTransactionIf(db, hasRow(groups, isGroup), {
    actor,
    writes: [
      insertAuditEvents(actor, 'questionnaire.created', id),
      db.insert(questionnaires).values({ ...questionnaire, title_folded: fold(title) }),
      ...insertIdempotencyKey(db, keys, id),
    ],
    reads: { processes: selectProcessOf(db, id) },
  })
  return created?.processes[0] ?? null
}

/**
 * Updates the title of a questionnaire, if it differs.
 * @returns its process, or null if there is no such questionnaire
 * @throws {RefusedError} by a unique index
 */
export function updateQuestionnaire<Changes extends Partial<NewQuestionnaire>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewQuestionnaire>, Changes>,
  actor: Actor,
): Promise<ProcessWithGroups | null> {
  const fields: Partial<NewQuestionnaire> = changes
  const title_folded = fields.title === undefined ? undefined : fold(fields.title)
  return updateRow(
    db,
    { table: questionnaires, id, action: 'questionnaire.updated' },
    { ...fields, title_folded },
    actor,
    selectProcessOf(db, id),
  )
}

/**
 * Deletes a questionnaire.
 * @returns whether there was one
 * @throws {RefusedError} by a completion
 */
export const deleteQuestionnaire = (db: Database, id: string, actor: Actor) =>
  deleteRow(db, { table: questionnaires, id, action: 'questionnaire.deleted' }, actor)
