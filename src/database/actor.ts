import { type SQL, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Caller } from '../security/tokens.ts'
import type { Placeholders } from './prepared.ts'
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

/** What a record says of its author. */
export type Author = { actorId: string; apiTokenId: string | null; requestId: string }

/** The author of an actor's records: with the API token that the user's program writes with. */
export const authorOf = (actor: Actor): Author => ({
  actorId: actorId(actor),
  apiTokenId: 'caller' in actor ? (actor.caller.apiToken?.id ?? null) : null,
  requestId: actor.requestId,
})

/** What a caller's token says, and the API token of a program. */
export type Claims = {
  userId: string
  role: RoleSlug
  tokenVersion: number
  expiresAt: number
  apiTokenId: string | null
}

/** Returns the claims of a caller, for `isCurrent`. */
export const claimsOf = ({ caller }: CallingActor): Claims => ({
  userId: caller.id,
  role: caller.role,
  tokenVersion: caller.tokenVersion,
  expiresAt: caller.expiresAt,
  apiTokenId: caller.apiToken?.id ?? null,
})

/**
 * A condition: a caller still has the role of their token, and the session of a login or the API
 * token of a program; and it has not expired. Every transaction of a caller depends on it
 * (database/transactions.ts).
 */
export const isCurrent = (claims: Placeholders<Claims>): SQL => sql`exists (
  select 1 from ${users} join ${roles} on ${roles.id} = ${users.role_id}
  where ${users.id} = ${claims.userId} and ${roles.slug} = ${claims.role}
    and ${claims.expiresAt} > unixepoch()
    and iif(
      ${claims.apiTokenId} is null,
      ${users.token_version} = ${claims.tokenVersion},
      exists (
        select 1 from ${apiTokens}
        where ${apiTokens.id} = ${claims.apiTokenId}
          and ${apiTokens.created_by} = ${users.id})))`
