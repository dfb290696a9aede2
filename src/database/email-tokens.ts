import { and, eq, exists, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { type Actor, record } from './audit-events.ts'
import { type Statement, writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { dropQueuedEmails } from './email-outbox.ts'
import { enqueuePasswordNotice } from './notices.ts'
import { emailTokens, type LinkKind, users } from './schema.ts'
import { selectUserIds } from './users.ts'

export const LINK_LIFETIME_MINUTES: Record<LinkKind, number> = {
  verification: 48 * 60,
  password_reset: 60,
}

const isUsable = (tokenHash: string, kind: LinkKind) =>
  and(
    eq(emailTokens.token_hash, tokenHash),
    eq(emailTokens.kind, kind),
    isNull(emailTokens.used_by),
    gt(emailTokens.expires_at, NOW),
  )

/** The user of a token; null if the token is unknown, used or expired. One round trip. */
export async function getTokenUser(
  db: Database,
  tokenHash: string,
  kind: LinkKind,
): Promise<TokenUser | null> {
  const user = await db
    .select({
      id: users.id,
      first_name: users.first_name,
      last_name: users.last_name,
      email: users.email,
      cpf: users.cpf,
      password_hash: users.password_hash,
    })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.user_id))
    .where(isUsable(tokenHash, kind))
    .get()
  return user ?? null
}

type TokenUser = Pick<
  typeof users.$inferSelect,
  'id' | 'first_name' | 'last_name' | 'email' | 'cpf' | 'password_hash'
>

/** A valid token, its user, and the request that uses it. */
export type TokenUse = { tokenHash: string; user: TokenUser; requestId: string }

// The next two return false if another request used the token, or it expired meanwhile. One
// transaction each; idempotent for each request.

/** Verifies an email by a token, and sets the password if there is none. */
export function verifyEmail(
  db: Database,
  use: TokenUse,
  passwordHash: string | null,
): Promise<boolean> {
  const { id } = use.user
  const actor: Actor = { requestId: use.requestId, ownerId: id }
  const isUsed = exists(selectUsed(db, use))
  const setsPassword = and(isNull(users.password_hash), sql`${passwordHash} is not null`)
  return useToken(db, use, 'verification', [
    record(
      actor,
      'email.verified',
      selectUser(id, and(isUsed, isNull(users.email_verified_at))),
    ),
    record(actor, 'password.reset', selectUser(id, and(isUsed, setsPassword))),
    db
      .update(users)
      .set({
        email_verified_at: VERIFIED_AT,
        password_by_link: sql`iif(${setsPassword}, true, ${users.password_by_link})`,
        password_hash: sql`coalesce(${users.password_hash}, ${passwordHash})`,
      })
      .where(and(eq(users.id, id), isUsed)),
    deleteUnusedTokens(db, id, and(eq(emailTokens.kind, 'verification'), isUsed)),
  ])
}

/**
 * Sets a new password, and enqueues the notice. Also verifies the email, ends all sessions, voids
 * all links and drops a queued email with one.
 */
export function resetPassword(
  db: Database,
  use: TokenUse,
  passwordHash: string,
): Promise<boolean> {
  const { id, email } = use.user
  const actor: Actor = { requestId: use.requestId, ownerId: id }
  const isUsed = exists(selectUsed(db, use))
  const isNotYetSet = sql`${users.password_hash} is not ${passwordHash}` // by this request
  return useToken(db, use, 'password_reset', [
    record(
      actor,
      'email.verified',
      selectUser(id, and(isUsed, isNull(users.email_verified_at))),
    ),
    record(actor, 'password.reset', selectUser(id, and(isUsed, isNotYetSet))),
    enqueuePasswordNotice(and(eq(users.id, id), isUsed), passwordHash),
    db
      .update(users)
      .set({
        password_hash: passwordHash,
        password_by_link: true,
        token_version: sql`${users.token_version} + 1`,
        email_verified_at: VERIFIED_AT,
      })
      .where(and(eq(users.id, id), isNotYetSet, isUsed)),
    deleteUnusedTokens(db, id, isUsed),
    dropQueuedEmails(db, email ?? '', 'password_reset', isUsed),
  ])
}

const VERIFIED_AT = sql`coalesce(${users.email_verified_at}, ${NOW})`

const selectUser = (id: string, where: SQL | undefined) =>
  selectUserIds(and(eq(users.id, id), where))

/** Uses a token, which the statements may ask for by `selectUsed`. */
async function useToken(
  db: Database,
  use: TokenUse,
  kind: LinkKind,
  statements: Statement[],
): Promise<boolean> {
  const useOnce = db
    .update(emailTokens)
    .set({ used_by: use.requestId })
    .where(isUsable(use.tokenHash, kind))
  const { used } = await writeAndRead(db, [useOnce, ...statements], {
    used: selectUsed(db, use),
  })
  return used.length > 0
}

/** The token, if this request used it. */
const selectUsed = (db: Database, { tokenHash, requestId }: TokenUse) =>
  db
    .select({ used_by: emailTokens.used_by })
    .from(emailTokens)
    .where(and(eq(emailTokens.token_hash, tokenHash), eq(emailTokens.used_by, requestId)))

const deleteUnusedTokens = (db: Database, userId: string, where: SQL | undefined) =>
  db
    .delete(emailTokens)
    .where(and(eq(emailTokens.user_id, userId), isNull(emailTokens.used_by), where))

/** Builds the statement that voids a user's links, by default of every kind. */
export const deleteEmailTokens = (
  db: Database,
  userId: string,
  kind?: LinkKind,
  where?: SQL,
) =>
  db
    .delete(emailTokens)
    .where(
      and(eq(emailTokens.user_id, userId), kind && eq(emailTokens.kind, kind), where),
    )
