import { type SQL, sql } from 'drizzle-orm'
import { apiTokens, roles, users } from './schema.ts'
import type { Placeholders } from '#database/sql/prepared.ts'
import type { RoleSlug } from '#domain/roles.ts'
import type { Caller } from '#security/tokens.ts'

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

/** The claims of a caller's token, and the API token of a program. */
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
