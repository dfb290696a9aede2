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
import {
  type AuditAction,
  SUBJECT_TYPE_BY_ACTION,
  type SubjectType,
} from '../domain/audit.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import { type Actor, actorId } from './actor.ts'
import type { Database } from './client.ts'
import type { Exactly } from './conditions.ts'
import { auditEvents, users } from './schema.ts'
import { readAll } from './transactions.ts'

/**
 * Builds the statement that records an action. It stands before the write itself.
 * @param subjects the id of what is written; or a query of one column, `id`, for those that will
 * change, so that a write that changes nothing leaves no record
 */
export function insertAuditEvents(
  actor: Actor,
  action: AuditAction,
  subjects: string | SQL,
): SQL {
  const query = typeof subjects === 'string' ? sql`select ${subjects} as id` : subjects
  return sql`
    insert into ${auditEvents} (actor_id, action, subject_type, subject_id, request_id)
    select ${actorId(actor)}, ${action}, ${SUBJECT_TYPE_BY_ACTION[action]}, subject.id,
      ${actor.requestId}
    from (${query}) as subject`
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
  subject_id?: string | undefined
  subject_type?: SubjectType | undefined
  action?: AuditAction | undefined
  /** Days in UTC, both inclusive. */
  date_from?: string | undefined
  date_to?: string | undefined
}

/**
 * One page of events with the names of their actors, newest first, and the total. One round trip.
 */
export async function listAuditEvents<Filter extends AuditFilter>(
  db: Database,
  filter: Exactly<AuditFilter, Filter>,
  page: Page,
) {
  const { actor_id, subject_id, subject_type, action, date_from, date_to }: AuditFilter =
    filter
  const where = and(
    actor_id ? eq(auditEvents.actor_id, actor_id) : undefined,
    subject_id ? eq(auditEvents.subject_id, subject_id) : undefined,
    subject_type ? eq(auditEvents.subject_type, subject_type) : undefined,
    action ? eq(auditEvents.action, action) : undefined,
    date_from ? gte(auditEvents.created_at, `${date_from}T00:00:00.000000Z`) : undefined,
    date_to ? lte(auditEvents.created_at, `${date_to}T23:59:59.999999Z`) : undefined,
  )
  const { rows, counted } = await readAll(db, {
    rows: db
      .select({
        ...getTableColumns(auditEvents),
        first_name: users.first_name,
        last_name: users.last_name,
      })
      .from(auditEvents)
      .leftJoin(users, eq(users.id, auditEvents.actor_id))
      .where(where)
      .orderBy(desc(auditEvents.created_at), desc(auditEvents.id))
      .limit(page.perPage)
      .offset(offsetOf(page)),
    counted: db.select({ total: count() }).from(auditEvents).where(where),
  })
  return { rows, total: counted[0]?.total ?? 0 }
}
