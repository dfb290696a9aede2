import { and, eq, gte, sql } from 'drizzle-orm'
import type { Actor } from '#database/actor.ts'
import { auditEventOf, insertSelected } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { auditEvents } from '#database/schema.ts'
import { hasNoRow } from '#database/sql/conditions.ts'
import { runStatement } from '#database/transactions.ts'

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
  const event = auditEventOf(
    actor,
    informerId === null ? 'informer.listed' : 'informer.read',
  )
  const { subject_id, actor_id, api_token_id, created_at, request_id } = auditEvents
  // the unary plus excludes the index of a column
  const isOfToday = and(
    sql`${subject_id} is ${informerId}`,
    gte(created_at, sql`date('now')`),
    eq(auditEvents.action, event.action),
    sql`+${actor_id} = ${event.actorId}`,
    sql`+${api_token_id} is ${event.apiTokenId}`,
  )
  const isOfRequest = and(
    eq(request_id, event.requestId),
    sql`+${subject_id} is ${informerId}`,
  )
  const isNew = and(hasNoRow(auditEvents, isOfToday), hasNoRow(auditEvents, isOfRequest))

  await runStatement(
    db,
    insertSelected(event, sql`select ${informerId} as id where ${isNew}`),
  )
}
