import { and, eq, exists, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { insertAuditEvent } from './audit-events.ts'
import { batch, type Database, type Statement } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import type { ClaimedEmail } from './email-outbox.ts'
import { DAY_MINUTES } from './expiry.ts'
import { type EmailKind, emailOutbox, emailTokens, users } from './schema.ts'

/** Lifetime of emailed links. */
const LIFETIME_MINUTES: Record<EmailKind, number> = {
  verification: 2 * DAY_MINUTES,
  password_reset: 60,
}
/** Emails of a kind to one user. */
const MINUTES_BETWEEN_EMAILS = 5
const MAX_EMAILS_A_DAY = 6

/**
 * Finds the recipients of claimed emails, and stores the hashes of the tokens of those that may be sent now. An address
 * without a user, or with nothing to verify, has no recipient. Idempotent.
 * @returns the recipients by token, and whether they got too many emails of the kind lately
 */
export async function createEmailTokens(
  db: Database,
  emails: (ClaimedEmail & { tokenHash: string })[],
) {
  const rows = emails.map(({ email, kind, tokenHash }) => ({
    email,
    kind,
    tokenHash,
    lifetime: LIFETIME_MINUTES[kind],
  }))
  const claimed = sql`json_each(${JSON.stringify(rows)}) as claimed`
  const field = (name: string) => sql<string>`claimed.value ->> ${name}`
  const mustVerify = and(
    eq(users.email_verification_required, true),
    isNull(users.email_verified_at),
  )
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
    created: sql`
      insert into email_tokens (token_hash, user_id, kind, expires_at)
      select ${field('tokenHash')}, ${users.id}, ${field('kind')}, ${minutesFromNow(field('lifetime'))}
      from ${claimed} join ${users} on ${isRecipient} where not ${isLimited}
      on conflict do nothing`,
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
    .select({
      id: users.id,
      email: users.email,
      cpf: users.cpf,
      password_hash: users.password_hash,
    })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.user_id))
    .where(isUsable(tokenHash, kind))
  return user ?? null
}

type TokenUser = NonNullable<Awaited<ReturnType<typeof getTokenUser>>>

/** A valid token, its user, and the request that uses it. */
export type TokenUse = { tokenHash: string; user: TokenUser; requestId: string }

// The next two return false if another request used the token, or it expired meanwhile. One transaction each; idempotent
// per request.

/** Verifies an email by a token, and sets the password if there is none. */
export function verifyEmail(
  db: Database,
  use: TokenUse,
  passwordHash: string | null,
): Promise<boolean> {
  const isUsed = exists(selectUsed(db, use))
  return useToken(db, use, 'verification', {
    user: db
      .update(users)
      .set({
        email_verified_at: VERIFIED_AT,
        password_by_link: sql`iif(${users.password_hash} is null, ${passwordHash} is not null, ${users.password_by_link})`,
        password_hash: sql`coalesce(${users.password_hash}, ${passwordHash})`,
      })
      .where(and(eq(users.id, use.user.id), isUsed)),
    others: voidTokens(
      db,
      use.user.id,
      use.requestId,
      and(eq(emailTokens.kind, 'verification'), isUsed),
    ),
  })
}

/** Sets a new password. Also verifies the email, ends all sessions and links, and drops a queued email with a link. */
export function resetPassword(db: Database, use: TokenUse, passwordHash: string): Promise<boolean> {
  const { user, requestId } = use
  const isUsed = exists(selectUsed(db, use))
  const isNotYetSet = sql`${users.password_hash} is not ${passwordHash}` // by this request
  const token_version = sql`${users.token_version} + 1`
  return useToken(db, use, 'password_reset', {
    user: db
      .update(users)
      .set({
        password_hash: passwordHash,
        password_by_link: true,
        token_version,
        email_verified_at: VERIFIED_AT,
      })
      .where(and(eq(users.id, user.id), isNotYetSet, isUsed)),
    recorded: insertAuditEvent({ id: user.id, requestId }, 'password.reset', user.id),
    others: voidTokens(db, user.id, requestId, isUsed),
    queued: db
      .delete(emailOutbox)
      .where(
        and(
          eq(emailOutbox.email, user.email ?? ''),
          eq(emailOutbox.kind, 'password_reset'),
          isUsed,
        ),
      ),
  })
}

const VERIFIED_AT = sql`coalesce(${users.email_verified_at}, ${NOW})`

/** Uses a token, which the statements may ask for by `selectUsed`. */
async function useToken(
  db: Database,
  use: TokenUse,
  kind: EmailKind,
  statements: Record<string, Statement>,
) {
  const { used } = await batch(db, {
    token: db
      .update(emailTokens)
      .set({ used_by: use.requestId })
      .where(isUsable(use.tokenHash, kind)),
    ...statements,
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

/** Builds the statement that voids tokens of a user. They are kept, because they count the emails of a day. */
export const voidTokens = (
  db: Database,
  userId: string,
  requestId: string,
  where: SQL | undefined,
) =>
  db
    .update(emailTokens)
    .set({ used_by: requestId })
    .where(and(eq(emailTokens.user_id, userId), isNull(emailTokens.used_by), where))
