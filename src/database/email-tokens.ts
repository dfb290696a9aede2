import { and, eq, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import type { DueEmail } from './email-outbox.ts'
import { type EmailKind, emailOutbox, emailTokens, users } from './schema.ts'

/** How long a mailed link is valid. */
const LIFETIME_MINUTES: Record<EmailKind, number> = { verification: 48 * 60, password_reset: 60 }

/** Stores the hash of the token that an email is about to carry, if the user still has the address. */
export async function storeToken(db: Database, tokenHash: string, email: DueEmail): Promise<void> {
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

/** Whether the user of a token has a password; null where the token is unknown, used or expired. */
export async function findToken(
  db: Database,
  tokenHash: string,
  kind: EmailKind,
): Promise<{ hasPassword: boolean } | null> {
  const row = await db
    .select({ password_hash: users.password_hash })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.user_id))
    .where(isUsable(tokenHash, kind))
    .get()
  return row ? { hasPassword: row.password_hash !== null } : null
}

/**
 * Verifies an email by a token: a password is set where there is none, and no other token of the kind is valid
 * any more. One transaction, which the same request may repeat.
 *
 * @param requestId of the request that uses the token
 * @returns false where the token is unknown, used by another request or expired
 */
export async function verifyEmail(
  db: Database,
  tokenHash: string,
  requestId: string,
  passwordHash: string | null,
): Promise<boolean> {
  const claimedByRequest = and(eq(emailTokens.token_hash, tokenHash), eq(emailTokens.used_by, requestId))
  const tokenUser = db.select({ id: emailTokens.user_id }).from(emailTokens).where(claimedByRequest)
  const [, , , , [used]] = await db.batch([
    db.update(emailTokens).set({ used_by: requestId }).where(isUsable(tokenHash, 'verification')),
    db
      .update(users)
      .set({
        email_verified_at: sql`coalesce(${users.email_verified_at}, ${NOW})`,
        password_hash: sql`coalesce(${users.password_hash}, ${passwordHash})`,
      })
      .where(inArray(users.id, tokenUser)),
    db
      .delete(emailTokens)
      .where(
        and(
          inArray(emailTokens.user_id, tokenUser),
          eq(emailTokens.kind, 'verification'),
          ne(emailTokens.token_hash, tokenHash),
        ),
      ),
    db
      .delete(emailOutbox)
      .where(
        and(
          eq(emailOutbox.kind, 'verification'),
          inArray(
            emailOutbox.email,
            db.select({ email: users.email }).from(users).where(inArray(users.id, tokenUser)),
          ),
        ),
      ),
    db.select({ user_id: emailTokens.user_id }).from(emailTokens).where(claimedByRequest),
  ])
  return used !== undefined
}

/** Deletes the tokens that are used or expired. */
export async function deleteExpiredTokens(db: Database): Promise<void> {
  await db.delete(emailTokens).where(or(isNotNull(emailTokens.used_by), lte(emailTokens.expires_at, NOW)))
}
