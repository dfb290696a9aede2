import { and, eq, sql } from 'drizzle-orm'
import { deleteApiTokensOf } from './api-tokens.ts'
import type { Actor, CallingActor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { roles, users } from '#database/schema/users.ts'
import { hasRow } from '#database/sql/conditions.ts'
import { type Placeholders, prepareQuery } from '#database/sql/prepared.ts'
import { runTransaction, runTransactionIf } from '#database/transactions.ts'
import { hasRole } from '#database/users/conditions.ts'
import { NEXT_TOKEN_VERSION } from '#database/users/revisions.ts'
import type { RoleSlug } from '#domain/roles.ts'
import type { Caller } from '#security/caller.ts'

/** The state of a user that decides whether their tokens are valid, and for which routes. */
export type Session = Pick<Caller, 'role' | 'tokenVersion'> & {
  second_factor_enabled_at: string | null
}

const selectSession = prepareQuery((db, { userId }: Placeholders<{ userId: string }>) =>
  db
    .select({
      role: roles.slug,
      tokenVersion: users.token_version,
      second_factor_enabled_at: users.second_factor_enabled_at,
    })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(eq(users.id, userId)),
)

/** Returns the current session of a user; null if the user no longer exists. One round trip. */
export async function getSession(db: Database, userId: string): Promise<Session | null> {
  return (await selectSession(db, { userId }).get()) ?? null
}

/** Ends all sessions of the caller. */
export async function endOwnSessions(db: Database, actor: CallingActor): Promise<void> {
  const { id } = actor.caller
  await runTransaction(db, { actor, writes: endSessionStatements(db, id, actor) })
}

/**
 * Ends all sessions of a user, also where none is open, and deletes their API tokens. One round
 * trip.
 * @returns whether there is such a user
 */
export async function endSessions(
  db: Database,
  role: RoleSlug,
  id: string,
  actor: Actor,
): Promise<boolean> {
  const isUser = hasRow(users, and(eq(users.id, id), hasRole(role)))
  const ended = await runTransactionIf(db, isUser, {
    actor,
    writes: [...endSessionStatements(db, id, actor), deleteApiTokensOf(db, id)],
  })
  return ended !== null
}

const endSessionStatements = (db: Database, id: string, actor: Actor) => [
  insertAuditEvents(actor, 'session.ended', id),
  db
    .update(users)
    .set({ token_version: NEXT_TOKEN_VERSION, updated_at: sql`${users.updated_at}` })
    .where(eq(users.id, id)),
]
