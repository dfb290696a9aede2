import { and, count, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { auditEvents } from './schema.ts'

/** The audited actions and their subject types (contract, section 9). */
export const SUBJECT_TYPE_BY_ACTION = {
  'informer.created': 'informer',
  'informer.updated': 'informer',
  'informer.deleted': 'informer',
  'group.associated': 'informer',
  'group.dissociated': 'informer',
  'questionnaire.completed': 'informer',
  'questionnaire.reopened': 'informer',
  'changelog.created': 'changelog',
  'changelog.updated': 'changelog',
  'changelog.deleted': 'changelog',
  'changelog.imported': 'changelog',
  'password.changed': 'user',
  'password.reset': 'user',
  'session.ended': 'user',
} as const

export type AuditAction = keyof typeof SUBJECT_TYPE_BY_ACTION

/** The user and the request of an audited action. */
export type Actor = { id: string; requestId: string }

/**
 * Audits an action if the previous statement of the batch changed a row (`changes()` of SQLite). A failed or
 * repeated write leaves no event.
 *
 * @param subjectId null for an import, which has no single subject
 */
export function insertAuditEvent(db: Database, actor: Actor, action: AuditAction, subjectId: string | null) {
  return insertAuditEvents(db, actor, action, sql`select ${subjectId} as id where changes() > 0`)
}

/**
 * Audits an action for each of several subjects. Event ids derive from the request and the subject, so a batch
 * retried after a lost connection inserts no duplicates.
 *
 * @param subjects a query of one column, `id`: the rows that the batch changes
 */
export function insertAuditEvents(db: Database, actor: Actor, action: AuditAction, subjects: SQL) {
  return db
    .insert(auditEvents)
    .select(sql`
      select substr(${actor.requestId}, 1, 19) || substr(coalesce(id, ${actor.requestId}), 20),
        ${NOW}, ${actor.id}, ${action}, ${SUBJECT_TYPE_BY_ACTION[action]}, id, ${actor.requestId}
      from (${subjects}) where true`)
    .onConflictDoNothing()
}

type AuditFilter = {
  actor_id?: string | undefined
  subject_id?: string | undefined
  action?: AuditAction | undefined
  /** Days in UTC, both inclusive. */
  date_from?: string | undefined
  date_to?: string | undefined
}

/** One page of events, newest first, and the total. One round trip. */
export async function listEvents(db: Database, filter: AuditFilter, page: Page) {
  const { actor_id, subject_id, action, date_from, date_to } = filter
  const where = and(
    actor_id === undefined ? undefined : eq(auditEvents.actor_id, actor_id),
    subject_id === undefined ? undefined : eq(auditEvents.subject_id, subject_id),
    action === undefined ? undefined : eq(auditEvents.action, action),
    date_from === undefined ? undefined : gte(auditEvents.created_at, `${date_from}T00:00:00.000000Z`),
    date_to === undefined ? undefined : lte(auditEvents.created_at, `${date_to}T23:59:59.999999Z`),
  )
  const [rows, [counted]] = await db.batch([
    db
      .select()
      .from(auditEvents)
      .where(where)
      .orderBy(desc(auditEvents.created_at), desc(auditEvents.id))
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(auditEvents).where(where),
  ])
  return { rows, total: counted?.total ?? 0 }
}
