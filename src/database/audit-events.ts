import { and, count, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { auditEvents } from './schema.ts'

/** What is recorded, and the kind of thing that it is done to (contract, section 9). */
export const AUDIT_SUBJECTS = {
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

export type AuditAction = keyof typeof AUDIT_SUBJECTS

/** Who does something, and in which request. */
export type Actor = { id: string; requestId: string }

/**
 * The statement that records one action, if the statement directly before it in the batch changed a row
 * (`changes()` of SQLite). So a write that fails, or is a repetition, leaves no record.
 *
 * @param subjectId null for an import, which has no single subject
 */
export function recordEvent(db: Database, actor: Actor, action: AuditAction, subjectId: string | null) {
  return recordEvents(db, actor, action, sql`select ${subjectId} as id where changes() > 0`)
}

/**
 * The statement that records one action for each of several subjects. The id of a record is made of those of the
 * request and the subject, so a batch that runs again after a lost connection records nothing twice.
 *
 * @param subjects a query of one column, `id`: what the batch is about to change, or has changed
 */
export function recordEvents(db: Database, actor: Actor, action: AuditAction, subjects: SQL) {
  return db
    .insert(auditEvents)
    .select(sql`
      select substr(${actor.requestId}, 1, 19) || substr(coalesce(id, ${actor.requestId}), 20),
        ${NOW}, ${actor.id}, ${action}, ${AUDIT_SUBJECTS[action]}, id, ${actor.requestId}
      from (${subjects}) where true`)
    .onConflictDoNothing()
}

export type AuditFilter = {
  actor_id?: string | undefined
  subject_id?: string | undefined
  action?: AuditAction | undefined
  /** Days in UTC, both inclusive. */
  date_from?: string | undefined
  date_to?: string | undefined
}

/** One page of records, newest first, and how many there are in all. One round trip. */
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
