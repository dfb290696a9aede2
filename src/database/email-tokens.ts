import { and, eq, exists, gt, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { insertAuditEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import type { DueEmail } from './email-outbox.ts'
import { type EmailKind, emailTokens, users } from './schema.ts'

/** Lifetime of emailed links. */
const LIFETIME_MINUTES: Record<EmailKind, number> = { verification: 48 * 60, password_reset: 60 }

/** Stores the hash of an email's token, if the user still has the address. */
export async function createEmailToken(db: Database, tokenHash: string, email: DueEmail): Promise<void> {
  await db
    .insert(emailTokens)
    .select(
      db
        .select({
          token_hash: sql`${tokenHash}`.as('token_hash'),
          user_id: users.id,
          kind: sql`${email.kind}`.as('kind'),
          expires_at: minutesFromNow(LIFETIME_MINUTES[email.kind]).as('expires_at'),
          used_by: sql`null`.as('used_by'),
        })
        .from(users)
        .where(and(eq(users.id, email.user_id), eq(users.email, email.email))),
    )
    .onConflictDoNothing()
}

const isUsable = (tokenHash: string, kind: EmailKind) =>
  and(
    eq(emailTokens.token_hash, tokenHash),
    eq(emailTokens.kind, kind),
    isNull(emailTokens.used_by),
    gt(emailTokens.expires_at, NOW),
  )

/** The user of a token and whether they have a password; null if the token is unknown, used or expired. */
export async function getEmailToken(db: Database, tokenHash: string, kind: EmailKind) {
  const row = await db
    .select({ userId: emailTokens.user_id, password_hash: users.password_hash })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.user_id))
    .where(isUsable(tokenHash, kind))
    .get()
  return row ? { userId: row.userId, hasPassword: row.password_hash !== null } : null
}

/** A valid token and the request that uses it. */
type TokenUse = { tokenHash: string; userId: string; requestId: string }

/**
 * Verifies an email by a token, and sets the password if there is none. One transaction; idempotent per request.
 *
 * @returns false if another request used the token, or it expired meanwhile
 */
export async function verifyEmail(
  db: Database,
  use: TokenUse,
  passwordHash: string | null,
): Promise<boolean> {
  const [, , , consumed] = await db.batch([
    consumeToken(db, use, 'verification'),
    db
      .update(users)
      .set({
        email_verified_at: sql`coalesce(${users.email_verified_at}, ${NOW})`,
        password_hash: sql`coalesce(${users.password_hash}, ${passwordHash})`,
      })
      .where(and(eq(users.id, use.userId), exists(selectConsumed(db, use)))),
    deleteOtherTokens(db, use, 'verification'),
    selectConsumed(db, use),
  ])
  return consumed.length > 0
}

/**
 * Sets a new password by a token. Also verifies the email, ends all sessions and invalidates all other links. One
 * transaction; idempotent per request.
 *
 * @returns false if another request used the token, or it expired meanwhile
 */
export async function resetPassword(db: Database, use: TokenUse, passwordHash: string): Promise<boolean> {
  const { userId, requestId } = use
  const [, , , , , consumed] = await db.batch([
    consumeToken(db, use, 'password_reset'),
    db
      .update(users)
      .set({
        password_hash: passwordHash,
        token_version: sql`${users.token_version} + 1`,
        email_verified_at: sql`coalesce(${users.email_verified_at}, ${NOW})`,
      })
      .where(
        and(
          eq(users.id, userId),
          sql`${users.password_hash} is not ${passwordHash}`, // not yet set by this request
          exists(selectConsumed(db, use)),
        ),
      ),
    insertAuditEvent(db, { id: userId, requestId }, 'password.reset', userId),
    deleteOtherTokens(db, use, 'verification'),
    deleteOtherTokens(db, use, 'password_reset'),
    selectConsumed(db, use),
  ])
  return consumed.length > 0
}

function consumeToken(db: Database, { tokenHash, requestId }: TokenUse, kind: EmailKind) {
  return db.update(emailTokens).set({ used_by: requestId }).where(isUsable(tokenHash, kind))
}

/** The token, if this request used it. */
function selectConsumed(db: Database, { tokenHash, requestId }: TokenUse) {
  return db
    .select({ used_by: emailTokens.used_by })
    .from(emailTokens)
    .where(and(eq(emailTokens.token_hash, tokenHash), eq(emailTokens.used_by, requestId)))
}

function deleteOtherTokens(db: Database, use: TokenUse, kind: EmailKind) {
  return db
    .delete(emailTokens)
    .where(
      and(
        eq(emailTokens.user_id, use.userId),
        eq(emailTokens.kind, kind),
        ne(emailTokens.token_hash, use.tokenHash),
        exists(selectConsumed(db, use)),
      ),
    )
}

/** Deletes used and expired tokens. */
export async function deleteExpiredTokens(db: Database): Promise<void> {
  await db.delete(emailTokens).where(or(isNotNull(emailTokens.used_by), lte(emailTokens.expires_at, NOW)))
}
