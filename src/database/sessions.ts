import { and, eq, exists, notExists, sql } from 'drizzle-orm'
import type { Caller } from '../security/tokens.ts'
import { type Actor, recordEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { type LoginAttempt, selectLockout } from './logins.ts'
import { emailTokens, users } from './schema.ts'

/** The user of a token, while no later session has begun: so a repeated write ends the sessions once. */
const isCurrent = ({ id, tokenVersion }: Caller) =>
  and(eq(users.id, id), eq(users.token_version, tokenVersion))

/** Ends every session of a user: the tokens that were issued before are invalid from now on. */
export async function endSessions(db: Database, caller: Caller, actor: Actor): Promise<void> {
  await db.batch([
    db
      .update(users)
      .set({ token_version: caller.tokenVersion + 1, updated_at: sql`${users.updated_at}` })
      .where(isCurrent(caller)),
    recordEvent(db, actor, 'session.ended', caller.id),
  ])
}

/**
 * Changes the password of a user who has proved the present one, ends every session and voids mailed links to
 * reset it; unless the identifier is locked out, or the session was ended meanwhile. One transaction.
 *
 * @returns whether the password is changed, and else the seconds of a lockout
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
    recordEvent(db, actor, 'password.changed', caller.id),
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
