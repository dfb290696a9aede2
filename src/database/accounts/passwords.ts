import { and, eq, sql } from 'drizzle-orm'
import type { LoginUser } from './login-users.ts'
import { NO_WAITING_SECRET } from './second-factors.ts'
import { deleteWrongCodes } from './wrong-codes.ts'
import type { CallingActor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { deleteEmailTokens } from '#database/emails/tokens.ts'
import { users } from '#database/schema.ts'
import { runTransaction } from '#database/transactions.ts'
import { NEXT_REVISION, NEXT_TOKEN_VERSION } from '#database/users/read.ts'

/**
 * Changes the caller's password, enqueues the notice, ends all sessions, voids links to reset it
 * and forgets wrong codes. If the former password was set by a link, the new one counts as set by a
 * link too. One round trip.
 */
export async function changeOwnPassword(
  db: Database,
  { id, email }: LoginUser,
  password_hash: string,
  actor: CallingActor,
): Promise<void> {
  await runTransaction(db, {
    actor,
    writes: [
      insertAuditEvents(actor, 'password.changed', id),
      deleteEmailTokens(db, id, 'password_reset'),
      deleteWrongCodes(db, id),
      ...insertNotice(db, 'password_changed', email, id),
      db
        .update(users)
        .set({
          password_hash,
          ...NO_WAITING_SECRET,
          token_version: NEXT_TOKEN_VERSION,
          revision: NEXT_REVISION,
        })
        .where(eq(users.id, id)),
    ],
  })
}

/** Replaces an outdated password hash, unless the password was changed meanwhile. */
export async function replacePasswordHash(
  db: Database,
  user: Pick<LoginUser, 'id' | 'password_hash'>,
  renewed: string,
): Promise<void> {
  await db
    .update(users)
    .set({ password_hash: renewed, updated_at: sql`${users.updated_at}` })
    .where(and(eq(users.id, user.id), eq(users.password_hash, user.password_hash ?? '')))
}
