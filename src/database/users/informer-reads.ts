import { and, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '#database/actor.ts'
import { auditEventOf } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { auditEvents } from '#database/schema/audit-events.ts'
import { hasNoRow, unindexed } from '#database/sql/conditions.ts'
import { type Placeholders, prepareStatement } from '#database/sql/prepared.ts'

type Read = {
  action: string
  subjectType: string
  informerId: string | null
  actorId: string
  apiTokenId: string | null
  requestId: string
}

/** Inserts the record of a read, unless there is one of today, or another of the same request. */
const insertRead = prepareStatement((read: Placeholders<Read>): SQL => {
  const { action, subject_id, actor_id, api_token_id, created_at, request_id } =
    auditEvents
  const isOfToday = and(
    sql`${subject_id} is ${read.informerId}`,
    gte(created_at, sql`date('now')`),
    eq(action, read.action),
    eq(unindexed(actor_id), read.actorId),
    sql`${unindexed(api_token_id)} is ${read.apiTokenId}`,
  )
  const isOfRequest = and(
    eq(request_id, read.requestId),
    sql`${unindexed(subject_id)} is ${read.informerId}`,
  )
  return sql`
    insert into ${auditEvents}
      (actor_id, api_token_id, action, subject_type, subject_id, request_id)
    select ${read.actorId}, ${read.apiTokenId}, ${read.action}, ${read.subjectType},
      ${read.informerId}, ${read.requestId}
    where ${hasNoRow(auditEvents, isOfToday)} and ${hasNoRow(auditEvents, isOfRequest)}`
})

/**
 * Records that an actor, or a program of theirs, was shown an informer or a list, unless there is a
 * record of today (UTC), or a record of the same request that it wrote to the informer. One round
 * trip.
 * @param informerId null for a list that does not show exactly one
 */
export async function recordRead(
  db: Database,
  informerId: string | null,
  actor: Actor,
): Promise<void> {
  const action = informerId === null ? 'informer.listed' : 'informer.read'
  await insertRead(db, { ...auditEventOf(actor, action), informerId })
}
