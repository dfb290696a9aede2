import { and, eq, gte, sql } from 'drizzle-orm'
import { selectUser, type UserRow } from './read.ts'
import type { Actor } from '#database/actor.ts'
import { type AuditEvent, auditEventOf, insertSelected } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { auditEvents } from '#database/schema.ts'
import { hasRow } from '#database/sql/conditions.ts'
import {
  type Placeholders,
  prepareQuery,
  prepareStatement,
} from '#database/sql/prepared.ts'
import { readAll, runStatement } from '#database/transactions.ts'

// Who was shown an informer is recorded once per day (UTC), and not if the same request has
// recorded a write of the informer.

/** An informer to show, and whether the read is recorded already. */
export type ReadInformer = { informer: UserRow | null; isReadRecorded: boolean }

/** A read of one informer, or of a list of several, whose id is null. */
type Read = AuditEvent & { informerId: string | null }

const readOf = (actor: Actor, informerId: string | null): Read => ({
  ...auditEventOf(actor, informerId === null ? 'informer.listed' : 'informer.read'),
  informerId,
})

/** A condition: there is a record of today, or one of the same request. */
function isOnRecord(read: Placeholders<Read>) {
  const { subject_id, actor_id, api_token_id, created_at, request_id } = auditEvents
  // the unary plus excludes the index of a column
  const isOfToday = and(
    sql`${subject_id} is ${read.informerId}`,
    gte(created_at, sql`date('now')`),
    eq(auditEvents.action, read.action),
    sql`+${actor_id} = ${read.actorId}`,
    sql`+${api_token_id} is ${read.apiTokenId}`,
  )
  const isOfRequest = and(
    eq(request_id, read.requestId),
    sql`+${subject_id} is ${read.informerId}`,
  )
  return sql<number>`${hasRow(auditEvents, isOfToday)} or ${hasRow(auditEvents, isOfRequest)}`
}

const selectRecorded = prepareQuery((db, read: Placeholders<Read>) =>
  db.select({ isRecorded: isOnRecord(read).mapWith(Boolean) }).from(sql`(select 1)`),
)

/** Builds the queries of an informer to show, for `readInformerOf`. */
export const selectInformer = (db: Database, id: string, actor: Actor) => ({
  informers: selectUser(db, { role: 'informer', id }),
  records: selectRecorded(db, readOf(actor, id)),
})

type Rows = { informers: UserRow[]; records: { isRecorded: boolean }[] }

/** Returns the informer of the rows of `selectInformer`. */
export const readInformerOf = ({ informers, records }: Rows): ReadInformer => ({
  informer: informers[0] ?? null,
  isReadRecorded: records[0]?.isRecorded ?? false,
})

/** Reads an informer to show them. One round trip. */
export async function readInformer(
  db: Database,
  id: string,
  actor: Actor,
): Promise<ReadInformer> {
  return readInformerOf(await readAll(db, selectInformer(db, id, actor)))
}

const insertRead = prepareStatement((read: Placeholders<Read>) =>
  insertSelected(
    read,
    sql`select ${read.informerId} as id where not (${isOnRecord(read)})`,
  ),
)

/**
 * Records that an actor, or a program of theirs, was shown an informer or a list of several. One
 * round trip.
 * @param informerId null for several
 */
export async function recordRead(
  db: Database,
  informerId: string | null,
  actor: Actor,
): Promise<void> {
  await runStatement(db, insertRead(readOf(actor, informerId)))
}
