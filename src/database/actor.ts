import { eq, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../security/tokens.ts'
import { apiTokens, roles, users } from './schema.ts'

/**
 * The author of a write, and the request: the caller of an access token, or the owner of an account
 * who has shown a link or a password.
 */
export type Actor = { requestId: string } & ({ caller: Caller } | { ownerId: string })

/** The actor of a write by a logged-in user. */
export type CallingActor = Extract<Actor, { caller: Caller }>

/** The id of the author of the write. */
export const actorId = (actor: Actor): string =>
  'ownerId' in actor ? actor.ownerId : actor.caller.id

/** The id of the API token that the user's program writes with; null for the user. */
export const apiTokenId = (actor: Actor): string | null =>
  'caller' in actor ? (actor.caller.apiToken?.id ?? null) : null

/**
 * A condition: a caller still has the role of their token, and the session of a login or the API
 * token of a program; and it has not expired. Every transaction of a caller depends on it
 * (database/transactions.ts).
 */
export function isCurrent(actor: Actor): SQL {
  if ('ownerId' in actor) return sql`true`

  const { id, role, tokenVersion, expiresAt, apiToken } = actor.caller
  const isTokenCurrent = apiToken
    ? sql`exists (
        select 1 from ${apiTokens}
        where ${apiTokens.id} = ${apiToken.id} and ${apiTokens.created_by} = ${users.id})`
    : eq(users.token_version, tokenVersion)
  return sql`exists (
    select 1 from ${users} join ${roles} on ${roles.id} = ${users.role_id}
    where ${users.id} = ${id} and ${roles.slug} = ${role}
      and ${isTokenCurrent} and ${expiresAt} > unixepoch())`
}
