import { and, count, desc, eq, getTableColumns, gte, lte, type SQL, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import { batch, type Database } from './client.ts'
import { NOW } from './columns.ts'
import { auditEvents, users } from './schema.ts'

const SUBJECTS = [
  'informer',
  'administrator',
  'process',
  'group',
  'questionnaire',
  'category',
  'diocese',
  'treatment_pronoun',
  'changelog',
] as const

/** What is created, updated and deleted, with a record of each. */
export type Subject = (typeof SUBJECTS)[number]

const writeActions = Object.fromEntries(
  SUBJECTS.flatMap((subject) =>
    ['created', 'updated', 'deleted'].map((write) => [`${subject}.${write}`, subject]),
  ),
) as Record<`${Subject}.${'created' | 'updated' | 'deleted'}`, Subject>

/** The audited actions and their subject types. */
export const SUBJECT_TYPE_BY_ACTION = {
  ...writeActions,
  'group.associated': 'informer',
  'group.dissociated': 'informer',
  'questionnaire.completed': 'informer',
  'questionnaire.reopened': 'informer',
  'changelog.published': 'changelog',
  'changelog.unpublished': 'changelog',
  'changelog.imported': 'changelog',
  'password.changed': 'user',
  'password.reset': 'user',
  'session.ended': 'user',
} as const

export type AuditAction = keyof typeof SUBJECT_TYPE_BY_ACTION

/** A key and the body that it was sent with, as keyed hashes. */
export type IdempotencyKey = { key_hash: string; content_hash: string }

/** The user and the request of an audited action; the key is stored with what it creates. */
export type Actor = { id: string; requestId: string; idempotencyKey?: IdempotencyKey }

/**
 * Audits an action if the previous statement of the batch changed a row (`changes()` of SQLite). A failed or
 * repeated write leaves no event.
 * @param subjectId null for an import, which has no single subject
 */
export const insertAuditEvent = (
  actor: Actor,
  action: AuditAction,
  subjectId: string | SQL | null,
) => insertAuditEvents(actor, action, sql`select ${subjectId} as id where changes() > 0`)

/**
 * Audits an action for each of several subjects. Event ids derive from the request and the subject (if that is a
 * UUID), so a batch retried after a lost connection inserts no duplicates.
 * @param subjects a query of one column, `id`: the rows that the batch changes
 */
export const insertAuditEvents = (actor: Actor, action: AuditAction, subjects: SQL) => sql`
  insert into audit_events (id, created_at, actor_id, action, subject_type, subject_id, request_id)
  select substr(${actor.requestId}, 1, 19) || substr(iif(length(id) = 36, id, ${actor.requestId}), 20),
    ${NOW}, ${actor.id}, ${action}, ${SUBJECT_TYPE_BY_ACTION[action]}, id, ${actor.requestId}
  from (${subjects}) where true
  on conflict do nothing`

type AuditFilter = {
  actor_id?: string
  subject_id?: string
  action?: AuditAction
  /** Days in UTC, both inclusive. */
  date_from?: string
  date_to?: string
}

/** One page of events with the names of their actors, newest first, and the total. One round trip. */
export async function listEvents(db: Database, filter: AuditFilter, page: Page) {
  const { actor_id, subject_id, action, date_from, date_to } = filter
  const where = and(
    actor_id === undefined ? undefined : eq(auditEvents.actor_id, actor_id),
    subject_id === undefined ? undefined : eq(auditEvents.subject_id, subject_id),
    action === undefined ? undefined : eq(auditEvents.action, action),
    date_from === undefined
      ? undefined
      : gte(auditEvents.created_at, `${date_from}T00:00:00.000000Z`),
    date_to === undefined ? undefined : lte(auditEvents.created_at, `${date_to}T23:59:59.999999Z`),
  )
  const { rows, counted } = await batch(db, {
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
