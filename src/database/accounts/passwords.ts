import { and, eq, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import type { LoginUser } from './login-users.ts'
import { NO_WAITING_SECRET } from './second-factors.ts'
import { deleteWrongCodes } from './wrong-codes.ts'
import type { CallingActor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { deleteEmailTokens } from '#database/emails/link-tokens.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { users } from '#database/schema/users.ts'
import { runTransaction, type Statement } from '#database/transactions.ts'
import { NEXT_REVISION, NEXT_TOKEN_VERSION } from '#database/users/revisions.ts'

/** A new password, or its end. */
export type NewPassword = {
  hash: string | null
  /**
   * Who sets it: the owner, by the former one; whoever opened an emailed link; or the office. An
   * owner's password that came by a link stays one that came by a link.
   */
  by: 'owner' | 'link' | 'office'
}

type FormerOwner = { id: string; email: string | null; hasPassword: boolean }

/**
 * Builds the statements of a new password: the notice to the owner, whose links to reset it are
 * void, whose wrong codes are forgotten, and whose sessions and waiting second factor end.
 * @param otherColumns of the user that change with it
 */
export const setPassword = (
  db: Database,
  { id, email, hasPassword }: FormerOwner,
  { hash, by }: NewPassword,
  otherColumns: SQLiteUpdateSetSource<typeof users> = {},
): Statement[] => [
  ...(hasPassword ? [insertNotice('password_changed', eq(users.id, id), email)] : []),
  deleteEmailTokens(db, id, 'password_reset'),
  deleteWrongCodes(db, id),
  db
    .update(users)
    .set({
      ...otherColumns,
      ...NO_WAITING_SECRET,
      password_hash: hash,
      ...(by !== 'owner' && { password_by_link: by === 'link' }),
      token_version: NEXT_TOKEN_VERSION,
      revision: NEXT_REVISION,
    })
    .where(eq(users.id, id)),
]

/** Changes the caller's password. One round trip. */
export async function changeOwnPassword(
  db: Database,
  { id, email }: LoginUser,
  hash: string,
  actor: CallingActor,
): Promise<void> {
  await runTransaction(db, {
    actor,
    writes: [
      insertAuditEvents(actor, 'password.changed', id),
      ...setPassword(db, { id, email, hasPassword: true }, { hash, by: 'owner' }),
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
