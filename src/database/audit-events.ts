import { type SQL, sql } from 'drizzle-orm'
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
