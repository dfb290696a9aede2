import { and, eq, exists, notExists, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Caller } from '../security/tokens.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { type LoginAttempt, selectLockout } from './logins.ts'
import { emailTokens, roles, users } from './schema.ts'

/** What decides whether a user's tokens are still valid. */
export type TokenState = { role: RoleSlug; tokenVersion: number }

/** The current token state of a user; null if the user no longer exists. */
export async function readTokenState(db: Database, id: string): Promise<TokenState | null> {
  const [tokenState] = await selectTokenState(db, id)
  return tokenState ?? null
}

/** Builds the query of `readTokenState`, for a batch. The id null has no row. */
export function selectTokenState(db: Database, id: string | null) {
  return db
    .select({ role: roles.slug, tokenVersion: users.token_version })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(sql`${users.id} = ${id}`)
}

/** The user of a token, while its version is current: a repeated write ends the sessions only once. */
const isCurrent = ({ id, tokenVersion }: Caller) =>
  and(eq(users.id, id), eq(users.token_version, tokenVersion))

/** Ends all sessions of a user by invalidating the tokens issued so far. */
export async function endSessions(db: Database, caller: Caller, actor: Actor): Promise<void> {
  await db.batch([
    db
      .update(users)
      .set({ token_version: caller.tokenVersion + 1, updated_at: sql`${users.updated_at}` })
      .where(isCurrent(caller)),
    insertAuditEvent(db, actor, 'session.ended', caller.id),
  ])
}

/**
 * Changes a password, ends all sessions and invalidates links to reset it, unless the identifier is locked out or the
 * session ended meanwhile. The caller must have verified the current password. One transaction.
 *
 * @returns whether the password was changed, and the remaining seconds of a lockout, or null
 */
export async function changePassword(
  db: Database,
  caller: Caller,
  change: { passwordHash: string; attempt: LoginAttempt },
  actor: Actor,
): Promise<{ isChanged: boolean; retryAfter: number | null }> {
  const lockout = selectLockout(db, change.attempt)
  const changed = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, caller.id), eq(users.password_hash, change.passwordHash)))
  const [, , , [user], [lock]] = await db.batch([
    db
      .update(users)
      .set({ password_hash: change.passwordHash, token_version: caller.tokenVersion + 1 })
      .where(and(isCurrent(caller), notExists(lockout))),
    insertAuditEvent(db, actor, 'password.changed', caller.id),
    db
      .delete(emailTokens)
      .where(
        and(eq(emailTokens.user_id, caller.id), eq(emailTokens.kind, 'password_reset'), exists(changed)),
      ),
    changed,
    lockout,
  ])
  return { isChanged: user !== undefined, retryAfter: lock?.seconds ?? null }
}
