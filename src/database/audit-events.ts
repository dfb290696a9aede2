import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  lte,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { type Actor, type Author, authorOf } from './actor.ts'
import type { Database } from './client.ts'
import { readPage } from './sql/pages.ts'
import type { Statement } from './transactions.ts'
import { auditEvents } from '#database/schema/audit-events.ts'
import { apiTokens, users } from '#database/schema/users.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import type { Exactly } from '#database/sql/conditions.ts'
import { hasRole } from '#database/users/conditions.ts'
import {
  type AuditAction,
  RELATED_TYPE_BY_ACTION,
  SUBJECT_TYPE_BY_ACTION,
  type SubjectType,
} from '#domain/audit.ts'
import { offsetOf, type Page } from '#domain/pagination.ts'

/** A record without its subject. */
export type AuditEvent = Author & { action: AuditAction; subjectType: SubjectType }

/** Returns the record of an action without its subject. */
export const auditEventOf = (actor: Actor, action: AuditAction): AuditEvent => ({
  ...authorOf(actor),
  action,
  subjectType: SUBJECT_TYPE_BY_ACTION[action],
})

/**
 * Builds the statement that records an action. It stands before the write itself.
 * @param subjects the id of what is written; or a query of the column `id` of the rows that will
 *   change, so a write without effect leaves no record. For an action of `RELATED_TYPE_BY_ACTION`
 *   it also has the column `related_id`
 */
export function insertAuditEvents(
  actor: Actor,
  action: AuditAction,
  subjects: string | SQL,
): Statement {
  const { actorId, apiTokenId, subjectType, requestId } = auditEventOf(actor, action)
  const selected = typeof subjects === 'string' ? sql`select ${subjects} as id` : subjects
  const relatedType = RELATED_TYPE_BY_ACTION[action] ?? null
  const relatedId = relatedType ? sql`subject.related_id` : sql`null`
  return sql`
    insert into ${auditEvents}
      (actor_id, api_token_id, action, subject_type, subject_id, related_type, related_id,
        request_id)
    select ${actorId}, ${apiTokenId}, ${action}, ${subjectType}, subject.id, ${relatedType},
      ${relatedId}, ${requestId}
    from (${selected}) as subject`
}

/** A condition: this request has recorded an action, of a subject or at all. */
export const isRecorded = (
  { requestId }: Actor,
  action: AuditAction,
  subjectId?: SQLWrapper,
): SQL | undefined =>
  and(
    eq(auditEvents.request_id, requestId),
    eq(auditEvents.action, action),
    subjectId ? eq(auditEvents.subject_id, subjectId) : undefined,
  )

type AuditFilter = {
  actor_id?: string | undefined
  api_token_id?: string | undefined
  subject_id?: string | undefined
  subject_type?: SubjectType | undefined
  related_id?: string | undefined
  action?: AuditAction | undefined
  /** Days in UTC, both inclusive. */
  date_from?: string | undefined
  date_to?: string | undefined
}

/** A condition: the user is the actor of an event, and no informer, whose name is not shown. */
const isNamedActor = and(eq(users.id, auditEvents.actor_id), hasRole('administrator'))

/**
 * Returns one page of events, newest first, and the total, with the names of their API tokens and
 * actors. An informer is an id: reading their name would leave a record. One round trip.
 */
export function listAuditEvents<Filter extends AuditFilter>(
  db: Database,
  filter: Exactly<AuditFilter, Filter>,
  page: Page,
) {
  const { actor_id, subject_id, subject_type, related_id }: AuditFilter = filter
  const { api_token_id, action, date_from, date_to }: AuditFilter = filter
  const where = and(
    actor_id ? eq(auditEvents.actor_id, actor_id) : undefined,
    api_token_id ? eq(auditEvents.api_token_id, api_token_id) : undefined,
    subject_id ? eq(auditEvents.subject_id, subject_id) : undefined,
    subject_type ? eq(auditEvents.subject_type, subject_type) : undefined,
    related_id ? eq(auditEvents.related_id, related_id) : undefined,
    action ? eq(auditEvents.action, action) : undefined,
    date_from ? gte(auditEvents.created_at, `${date_from}T00:00:00.000000Z`) : undefined,
    date_to ? lte(auditEvents.created_at, `${date_to}T23:59:59.999999Z`) : undefined,
  )
  return readPage(
    db,
    db
      .select({
        ...getTableColumns(auditEvents),
        first_name: users.first_name,
        last_name: users.last_name,
        api_token_name: apiTokens.name,
      })
      .from(auditEvents)
      .leftJoin(users, isNamedActor)
      .leftJoin(apiTokens, eq(apiTokens.id, auditEvents.api_token_id))
      .where(where)
      .orderBy(desc(auditEvents.created_at), desc(auditEvents.id))
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(auditEvents).where(where),
  )
}

/** Returns the subject types of the records of the last minutes. One round trip. */
export async function listRecentSubjectTypes(
  db: Database,
  minutes: number,
): Promise<SubjectType[]> {
  const rows = await db
    .selectDistinct({ type: auditEvents.subject_type })
    .from(auditEvents)
    .where(gte(auditEvents.created_at, minutesFromNow(-minutes)))
  return rows.map(({ type }) => type)
}
