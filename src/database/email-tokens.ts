import { and, eq, exists, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { insertAuditEvent } from './audit-events.ts'
import { batch, type Database, statement } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import type { ClaimedEmail } from './email-outbox.ts'
import { deleteOldest } from './expiry.ts'
import { type EmailKind, emailOutbox, emailTokens, users } from './schema.ts'

const DAY_MINUTES = 24 * 60
/** Lifetime of emailed links. */
const LIFETIME_MINUTES: Record<EmailKind, number> = { verification: 2 * DAY_MINUTES, password_reset: 60 }
/** Emails of a kind to one user. */
const MINUTES_BETWEEN_EMAILS = 5
const MAX_EMAILS_A_DAY = 6

/**
 * Finds the recipients of claimed emails, and stores the hashes of the tokens of those that may be sent now. An address
 * without a user, or with nothing to verify, has no recipient. Idempotent.
 *
 * @returns the recipients by token, and whether they got too many emails of the kind lately
 */
export async function createEmailTokens(
  db: Database,
  emails: (ClaimedEmail & { tokenHash: string })[],
): Promise<{ tokenHash: string; first_name: string; isLimited: boolean }[]> {
  // not the tokens themselves
  const rows = emails.map(({ email, kind, tokenHash }) => ({
    email,
    kind,
    tokenHash,
    lifetime: LIFETIME_MINUTES[kind],
  }))
  const claimed = sql`json_each(${JSON.stringify(rows)}) as claimed`
  const field = (name: string) => sql<string>`claimed.value ->> ${name}`
  const mustVerify = and(eq(users.email_verification_required, true), isNull(users.email_verified_at))
  const isRecipient = and(
    eq(users.email, field('email')),
    or(eq(field('kind'), 'password_reset'), mustVerify),
  )
  /** The expiry of a token that was made some minutes ago. */
  const madeBefore = (minutes: number) => minutesFromNow(sql`(${field('lifetime')} - ${minutes})`)
  const isLimited = sql<boolean>`(
    select count(*) >= ${MAX_EMAILS_A_DAY}
      or coalesce(max(expires_at) > ${madeBefore(MINUTES_BETWEEN_EMAILS)}, false)
    from email_tokens
    where user_id = ${users.id} and kind = ${field('kind')} and expires_at > ${madeBefore(DAY_MINUTES)}
      and token_hash <> ${field('tokenHash')})`
  const { recipients } = await batch(db, {
    recipients: db
      .select({
        tokenHash: field('tokenHash'),
        first_name: users.first_name,
        isLimited: isLimited.mapWith(Boolean),
      })
      .from(claimed)
      .innerJoin(users, isRecipient),
    created: statement(
      db,
      sql`
      insert into email_tokens (token_hash, user_id, kind, expires_at)
      select ${field('tokenHash')}, ${users.id}, ${field('kind')}, ${minutesFromNow(field('lifetime'))}
      from ${claimed} join ${users} on ${isRecipient} where not ${isLimited}
      on conflict do nothing`,
    ),
  })
  return recipients
}

const isUsable = (tokenHash: string, kind: EmailKind) =>
  and(
    eq(emailTokens.token_hash, tokenHash),
    eq(emailTokens.kind, kind),
    isNull(emailTokens.used_by),
    gt(emailTokens.expires_at, NOW),
  )

/** The user of a token; null if the token is unknown, used or expired. */
export async function getTokenUser(db: Database, tokenHash: string, kind: EmailKind) {
  const [user] = await db
    .select({ id: users.id, email: users.email, cpf: users.cpf, password_hash: users.password_hash })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.user_id))
    .where(isUsable(tokenHash, kind))
  return user ?? null
}

export type TokenUser = NonNullable<Awaited<ReturnType<typeof getTokenUser>>>

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
  const { consumed } = await batch(db, {
    token: consumeToken(db, use, 'verification'),
    user: db
      .update(users)
      .set({
        email_verified_at: sql`coalesce(${users.email_verified_at}, ${NOW})`,
        password_by_link: sql`iif(${users.password_hash} is null, ${passwordHash} is not null, ${users.password_by_link})`,
        password_hash: sql`coalesce(${users.password_hash}, ${passwordHash})`,
      })
      .where(and(eq(users.id, use.userId), exists(selectConsumed(db, use)))),
    others: voidTokens(db, use, eq(emailTokens.kind, 'verification')),
    consumed: selectConsumed(db, use),
  })
  return consumed.length > 0
}

/**
 * Sets a new password by a token. Also verifies the email, invalidates all access tokens and all other links, and
 * drops a queued email with another. One transaction; idempotent per request.
 *
 * @returns false if another request used the token, or it expired meanwhile
 */
export async function resetPassword(db: Database, use: TokenUse, passwordHash: string): Promise<boolean> {
  const { userId, requestId } = use
  const { consumed } = await batch(db, {
    token: consumeToken(db, use, 'password_reset'),
    user: db
      .update(users)
      .set({
        password_hash: passwordHash,
        password_by_link: true,
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
    recorded: insertAuditEvent(db, { id: userId, requestId }, 'password.reset', userId),
    others: voidTokens(db, use),
    queued: db.delete(emailOutbox).where(sql`
      email = (select email from ${users} where ${users.id} = ${userId}) and kind = 'password_reset'
      and exists ${selectConsumed(db, use)}`),
    consumed: selectConsumed(db, use),
  })
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

/** Voids the other tokens of the user. They are kept, because they count the emails of a day. */
function voidTokens(db: Database, use: TokenUse, where?: SQL) {
  return db
    .update(emailTokens)
    .set({ used_by: use.requestId })
    .where(
      and(
        eq(emailTokens.user_id, use.userId),
        isNull(emailTokens.used_by),
        where,
        exists(selectConsumed(db, use)),
      ),
    )
}

/** Deletes tokens that have expired and count no email of the last day. */
export const deleteExpiredTokens = (db: Database) =>
  deleteOldest(db, emailTokens.expires_at, minutesFromNow(-DAY_MINUTES))
