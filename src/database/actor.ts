import { type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../security/tokens.ts'
import { roles, users } from './schema.ts'

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

/**
 * A condition: a caller still has the role and the session of their token, which has not expired.
 * Every transaction of a caller depends on it (database/transactions.ts).
 */
export function isCurrent(actor: Actor): SQL {
  if ('ownerId' in actor) return sql`true`

  const { id, role, tokenVersion, expiresAt } = actor.caller
  return sql`exists (
    select 1 from ${users} join ${roles} on ${roles.id} = ${users.role_id}
    where ${users.id} = ${id} and ${roles.slug} = ${role}
      and ${users.token_version} = ${tokenVersion} and ${expiresAt} > unixepoch())`
}
