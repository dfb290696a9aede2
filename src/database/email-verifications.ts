import { and, eq, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { minutesFromNow, NOW } from './columns.ts'
import type { Database } from './connection.ts'
import { emailVerifications, pendingMails, users } from './schema.ts'

const LIFETIME_MINUTES = 48 * 60
/** A mail that could not be sent is tried again after so long, then after twice as long, up to a day. */
const FIRST_RETRY_MINUTES = 5
const LONGEST_RETRY_MINUTES = 24 * 60
/** In one run of the cron trigger. */
const MOST_MAILS = 50

/** A mail that is to be sent now. */
export type DueMail = { user_id: string; first_name: string; email: string }

/**
 * Asks for another mail to whoever has yet to verify an email.
 *
 * @returns the id of the user, or null where there is nobody of that email who has
 */
export async function requestMail(db: Database, email: string): Promise<string | null> {
  const [, [user]] = await db.batch([
    db
      .insert(pendingMails)
      .select(
        db
          .select({ user_id: users.id, attempts: sql`0`.as('attempts'), due_at: NOW.as('due_at') })
          .from(users)
          .where(isWaiting(email)),
      )
      .onConflictDoUpdate({ target: pendingMails.user_id, set: { attempts: 0, due_at: NOW } }),
    db.select({ id: users.id }).from(users).where(isWaiting(email)),
  ])
  return user?.id ?? null
}

const isWaiting = (email: string) =>
  and(eq(users.email, email), eq(users.email_verification_required, true), isNull(users.email_verified_at))

/**
 * Takes mails that are due, of one user or of all, and puts off the next try of each, so that nobody else
 * takes it meanwhile.
 */
export async function takeDueMails(db: Database, userId: string | null): Promise<DueMail[]> {
  const isDue = lte(pendingMails.due_at, NOW)
  const due = db
    .select({ user_id: pendingMails.user_id })
    .from(pendingMails)
    .where(userId === null ? isDue : and(isDue, eq(pendingMails.user_id, userId)))
    .orderBy(pendingMails.due_at)
    .limit(MOST_MAILS)
  const pause = sql`min(${LONGEST_RETRY_MINUTES}, ${FIRST_RETRY_MINUTES} << min(${pendingMails.attempts}, 20))`
  const taken = await db
    .update(pendingMails)
    .set({ attempts: sql`${pendingMails.attempts} + 1`, due_at: minutesFromNow(pause) })
    .where(inArray(pendingMails.user_id, due))
    .returning({ user_id: pendingMails.user_id })
  if (taken.length === 0) return []
  const mails = await db
    .select({ user_id: users.id, first_name: users.first_name, email: users.email })
    .from(users)
    .where(
      and(
        isNotNull(users.email),
        sql`${users.id} in (select value from json_each(${JSON.stringify(taken.map(({ user_id }) => user_id))}))`,
      ),
    )
  return mails as DueMail[]
}

/**
 * Stores the hash of the token that a mail is about to carry; it lives 48 hours, and no longer than the user has the
 * email that the mail goes to (migrations/0004_changed_email.sql).
 */
export async function storeToken(db: Database, tokenHash: string, mail: DueMail): Promise<void> {
  await db
    .insert(emailVerifications)
    .select(
      db
        .select({
          token_hash: sql`${tokenHash}`.as('token_hash'),
          user_id: users.id,
          expires_at: minutesFromNow(LIFETIME_MINUTES).as('expires_at'),
          used_by: sql`null`.as('used_by'),
        })
        .from(users)
        .where(and(eq(users.id, mail.user_id), eq(users.email, mail.email))),
    )
    .onConflictDoNothing()
}

/** A mail was sent and waits no more. */
export async function markSent(db: Database, userId: string): Promise<void> {
  await db.delete(pendingMails).where(eq(pendingMails.user_id, userId))
}

const isUsable = (tokenHash: string) =>
  and(
    eq(emailVerifications.token_hash, tokenHash),
    isNull(emailVerifications.used_by),
    gt(emailVerifications.expires_at, NOW),
  )

/** Whether the user of a token has a password; null where the token is unknown, used or expired. */
export async function findToken(db: Database, tokenHash: string): Promise<{ hasPassword: boolean } | null> {
  const row = await db
    .select({ password_hash: users.password_hash })
    .from(emailVerifications)
    .innerJoin(users, eq(users.id, emailVerifications.user_id))
    .where(isUsable(tokenHash))
    .get()
  return row ? { hasPassword: row.password_hash !== null } : null
}

/**
 * Uses a token: the email of its user counts as verified, a password is set where there is none, and no
 * other token of the user counts any more. One transaction, which the same request may repeat.
 *
 * @param requestId who uses it
 * @returns false where the token is unknown, used by another request or expired
 */
export async function useToken(
  db: Database,
  tokenHash: string,
  requestId: string,
  passwordHash: string | null,
): Promise<boolean> {
  const isMine = and(eq(emailVerifications.token_hash, tokenHash), eq(emailVerifications.used_by, requestId))
  const itsUser = db.select({ id: emailVerifications.user_id }).from(emailVerifications).where(isMine)
  const [, , , , [used]] = await db.batch([
    db.update(emailVerifications).set({ used_by: requestId }).where(isUsable(tokenHash)),
    db
      .update(users)
      .set({
        email_verified_at: sql`coalesce(${users.email_verified_at}, ${NOW})`,
        password_hash: sql`coalesce(${users.password_hash}, ${passwordHash})`,
      })
      .where(inArray(users.id, itsUser)),
    db
      .delete(emailVerifications)
      .where(and(inArray(emailVerifications.user_id, itsUser), ne(emailVerifications.token_hash, tokenHash))),
    db.delete(pendingMails).where(inArray(pendingMails.user_id, itsUser)),
    db.select({ user_id: emailVerifications.user_id }).from(emailVerifications).where(isMine),
  ])
  return used !== undefined
}

/** Drops the tokens that are used or expired. */
export async function dropOldTokens(db: Database): Promise<void> {
  await db
    .delete(emailVerifications)
    .where(or(isNotNull(emailVerifications.used_by), lte(emailVerifications.expires_at, NOW)))
}
