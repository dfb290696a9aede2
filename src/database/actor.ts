import { and, eq, type SQL, sql } from 'drizzle-orm'
import { apiTokens, roles, users } from '#database/schema/users.ts'
import { hasRow } from '#database/sql/conditions.ts'
import type { Caller } from '#security/caller.ts'

/**
 * The author of a write and its request: a caller with a token, or an account owner who proved who
 * they are by a link or a password.
 */
export type Actor = { requestId: string } & ({ caller: Caller } | { ownerId: string })

/** The actor of a write by a logged-in user. */
export type CallingActor = Extract<Actor, { caller: Caller }>

/** The id of the author of the write. */
export const actorId = (actor: Actor): string =>
  'ownerId' in actor ? actor.ownerId : actor.caller.id

/** The author columns of a record. */
export type Author = { actorId: string; apiTokenId: string | null; requestId: string }

/**
 * Returns the author of an actor's records, with the API token of the program that acts for the
 * user.
 */
export const authorOf = (actor: Actor): Author => ({
  actorId: actorId(actor),
  apiTokenId: 'caller' in actor ? (actor.caller.apiToken?.id ?? null) : null,
  requestId: actor.requestId,
})

/**
 * A condition: a caller still has the role of their token, and the session of a login or the API
 * token of a program; and it has not expired. Every transaction of a caller depends on it
 * (database/transactions.ts).
 */
export function isCallerCurrent({ caller }: CallingActor): SQL {
  const { id, role, tokenVersion, expiresAt, apiToken } = caller
  const hasToken = apiToken
    ? hasRow(
        apiTokens,
        and(eq(apiTokens.id, apiToken.id), eq(apiTokens.created_by, users.id)),
      )
    : eq(users.token_version, tokenVersion)
  return sql`exists (
    select 1 from ${users} join ${roles} on ${roles.id} = ${users.role_id}
    where ${users.id} = ${id} and ${roles.slug} = ${role}
      and ${expiresAt} > unixepoch() and ${hasToken})`
}
