import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '../security/tokens.ts'
import { type Actor, record } from './audit-events.ts'
import { writeAll } from './batch.ts'
import type { Database } from './client.ts'
import { deleteEmailTokens } from './email-tokens.ts'
import { enqueuePasswordNotice } from './notices.ts'
import { roles, users } from './schema.ts'

/** What decides whether a user's tokens are still valid. */
export type Session = Pick<Caller, 'role' | 'tokenVersion'>

/** The actor of a write by a logged-in user. */
type CallingActor = Extract<Actor, { caller: Caller }>

/** The current session of a user; null if the user no longer exists. One round trip. */
export async function getSession(db: Database, userId: string): Promise<Session | null> {
  const session = await db
    .select({ role: roles.slug, tokenVersion: users.token_version })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(eq(users.id, userId))
    .get()
  return session ?? null
}

/** The user of a token, while its version is current: a write that is retried ends sessions once. */
const hasSession = ({ id, tokenVersion }: Caller) =>
  and(eq(users.id, id), eq(users.token_version, tokenVersion))

/** Ends all sessions of the caller. */
export async function endOwnSessions(db: Database, actor: CallingActor): Promise<void> {
  const { caller } = actor
  await writeAll(db, [
    record(actor, 'session.ended', caller.id),
    db
      .update(users)
      .set({
        token_version: caller.tokenVersion + 1,
        updated_at: sql`${users.updated_at}`,
      })
      .where(hasSession(caller)),
  ])
}

/**
 * Changes the caller's password, tells of it, ends all sessions and voids links to reset it. Whether the
 * former password came by a link holds for the new one. One transaction.
 */
export async function changeOwnPassword(
  db: Database,
  passwordHash: string,
  actor: CallingActor,
): Promise<void> {
  const { caller } = actor
  await writeAll(db, [
    record(actor, 'password.changed', caller.id),
    deleteEmailTokens(db, caller.id, 'password_reset'),
    enqueuePasswordNotice(hasSession(caller), passwordHash),
    db
      .update(users)
      .set({ password_hash: passwordHash, token_version: caller.tokenVersion + 1 })
      .where(hasSession(caller)),
  ])
}
