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
import type { Caller } from '../security/tokens.ts'
import { readAll } from './batch.ts'
import type { Database } from './client.ts'
import { type Exactly, hasRow } from './conditions.ts'
import { findDatabaseError } from './database-error.ts'
import type { IdempotencyKey } from './idempotency-keys.ts'
import { auditEvents, roles, users } from './schema.ts'

/**
 * Who writes, and by which request: a caller, or the owner of an account by a link or a password.
 */
export type Actor = { requestId: string } & (
  | { caller: Caller; idempotencyKey?: IdempotencyKey | undefined }
  | { ownerId: string }
)

/**
 * Builds the statement that records an action, before the write itself. It also checks the caller's
 * session again: if that has ended, the record has no actor, and the transaction fails
 * (`isActorMissing`). A request that is retried leaves no second record.
 * @param subjects the id of what is written; or a query of one column, `id`, for those that will
 * change, so that a write that changes nothing leaves no record
 */
export function record(actor: Actor, action: AuditAction, subjects: string | SQL): SQL {
  const query = typeof subjects === 'string' ? sql`select ${subjects} as id` : subjects
  return recordPairs(actor, action, sql`select id, 0 as pair_id from (${query})`)
}

/**
 * Builds the statement that records an action on each of some pairs of informer and group.
 * @param pairs a query of two columns: `id`, the informer, and `pair_id`
 */
export function recordPairs(actor: Actor, action: AuditAction, pairs: SQL): SQL {
  const isRecorded = and(
    eq(auditEvents.request_id, actor.requestId),
    eq(auditEvents.action, action),
    sql`${auditEvents.subject_id} is subject.id`,
    sql`${auditEvents.pair_id} = subject.pair_id`,
  )
  return sql`
    insert into audit_events (actor_id, action, subject_type, subject_id, pair_id, request_id)
    select ${actorId(actor)}, ${action}, ${SUBJECT_TYPE_BY_ACTION[action]}, subject.id,
      subject.pair_id, ${actor.requestId}
    from (${pairs}) as subject where not ${hasRow(auditEvents, isRecorded)}`
}

/** The actor, if they still have the role and the session of their token, which has not expired. */
function actorId(actor: Actor): SQL {
  if ('ownerId' in actor) return sql`${actor.ownerId}`
  const { id, role, tokenVersion, expiresAt } = actor.caller
  return sql`(
    select ${users.id} from ${users} join ${roles} on ${roles.id} = ${users.role_id}
    where ${users.id} = ${id} and ${roles.slug} = ${role} and ${users.token_version} = ${tokenVersion}
      and ${expiresAt} > unixepoch())`
}

/** A condition, for a write that leaves no record: the actor is still who the token says. */
export const isActorCurrent = (actor: Actor): SQL => sql`${actorId(actor)} is not null`

/** Whether a write was refused because its caller's session had ended. */
export const isActorMissing = (error: Error): boolean =>
  findDatabaseError(error)?.message.includes(ACTOR_MISSING) ?? false

const ACTOR_MISSING = 'NOT NULL constraint failed: audit_events.actor_id'

/**
 * A condition: this request has recorded something of a subject. The records are the memory of what
 * a request did: the statements after one depend on it, also in a retry.
 */
export const hasRecord = (actor: Actor, subjectId: string | SQLWrapper): SQL<boolean> =>
  hasRow(
    auditEvents,
    and(
      eq(auditEvents.request_id, actor.requestId),
      eq(auditEvents.subject_id, subjectId),
    ),
  )

/** Builds the query of what this request has recorded of a subject. */
export const selectRecords = (db: Database, actor: Actor, subjectId: string) =>
  db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.request_id, actor.requestId),
        eq(auditEvents.subject_id, subjectId),
      ),
    )

/** Builds the query of the pairs that this request has recorded an action on. */
export const selectRecordedPairs = (db: Database, actor: Actor, action: AuditAction) =>
  db
    .select({ pair_id: auditEvents.pair_id })
    .from(auditEvents)
    .where(
      and(eq(auditEvents.request_id, actor.requestId), eq(auditEvents.action, action)),
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
