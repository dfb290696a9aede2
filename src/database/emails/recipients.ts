import { and, desc, eq, gt, inArray } from 'drizzle-orm'
import { LINK_LIFETIME_MINUTES } from './link-tokens.ts'
import { type ClaimedEmail, needsVerificationLink } from './outbox.ts'
import type { Database } from '#database/client.ts'
import {
  emailTokens,
  type LinkKind,
  type NoticeKind,
  sentEmails,
} from '#database/schema/emails.ts'
import { treatmentPronouns } from '#database/schema/lists.ts'
import { users } from '#database/schema/users.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import { hasRow } from '#database/sql/conditions.ts'
import { readAll, runTransactionIf } from '#database/transactions.ts'
import { EMAIL_DAY_MINUTES, MAX_EMAILS_A_DAY } from '#domain/email-limits.ts'

export type Recipient = {
  user_id: string
  /** Null if the address is no longer the user's. */
  first_name: string | null
  treatment_pronoun: string | null
}

/**
 * Returns the recipient of an email, and the times of the last emails of its kind to the address,
 * newest first, whoever had it then. The recipient of a notice is its user; an address without a
 * user, or one that needs no link, has none. One round trip.
 * @param emailHashes those of the address
 */
export async function getRecipient(
  db: Database,
  { email, kind, user_id }: ClaimedEmail,
  emailHashes: string[],
): Promise<{ recipient: Recipient | null; sentTimes: string[] }> {
  const hasAddress = and(
    eq(users.email, email),
    kind === 'verification' ? needsVerificationLink : undefined,
  )
  const { found, sent } = await readAll(db, {
    found: db
      .select({
        user_id: users.id,
        email: users.email,
        first_name: users.first_name,
        treatment_pronoun: treatmentPronouns.name,
      })
      .from(users)
      .leftJoin(treatmentPronouns, eq(treatmentPronouns.id, users.treatment_pronoun_id))
      .where(user_id ? eq(users.id, user_id) : hasAddress),
    sent: db
      .select({ sent_at: sentEmails.sent_at })
      .from(sentEmails)
      .where(
        and(
          inArray(sentEmails.email_hash, emailHashes),
          eq(sentEmails.kind, kind),
          gt(sentEmails.sent_at, minutesFromNow(-EMAIL_DAY_MINUTES)),
        ),
      )
      .orderBy(desc(sentEmails.sent_at))
      .limit(MAX_EMAILS_A_DAY),
  })
  const sentTimes = sent.map(({ sent_at }) => sent_at)
  const [user] = found
  if (!user) return { recipient: null, sentTimes }
  const { email: current, ...recipient } = user
  const isFormer = current !== email
  return {
    recipient: isFormer
      ? { ...recipient, first_name: null, treatment_pronoun: null }
      : recipient,
    sentTimes,
  }
}

type SentLink = {
  token_hash: string
  user_id: string
  kind: LinkKind
  email: string
  email_hash: string
  sent_at: string
}

/**
 * Stores the token of a link that is about to be sent, and counts its email. One round trip.
 * @returns false if the user's email has changed, so that the link would reach somebody else
 */
export async function createEmailToken(
  db: Database,
  { token_hash, user_id, kind, email, email_hash, sent_at }: SentLink,
): Promise<boolean> {
  const isRecipient = hasRow(users, and(eq(users.id, user_id), eq(users.email, email)))
  const expires_at = minutesFromNow(LINK_LIFETIME_MINUTES[kind])
  const stored = await runTransactionIf(db, isRecipient, {
    writes: [
      db.insert(emailTokens).values({ token_hash, user_id, kind, expires_at }),
      db.insert(sentEmails).values({ email_hash, kind, sent_at }),
    ],
  })
  return stored !== null
}

type SentNotice = {
  user_id: string
  kind: NoticeKind
  email_hash: string
  sent_at: string
}

/**
 * Counts a notice that is about to be sent. One round trip.
 * @returns false if its user is deleted
 */
export async function countNotice(
  db: Database,
  { user_id, kind, email_hash, sent_at }: SentNotice,
): Promise<boolean> {
  const counted = await runTransactionIf(db, hasRow(users, eq(users.id, user_id)), {
    writes: [db.insert(sentEmails).values({ email_hash, kind, sent_at })],
  })
  return counted !== null
}

export type SentEmail = typeof sentEmails.$inferSelect

/** Deletes the count of an email that could not be sent. One round trip. */
export async function takeBackEmail(
  db: Database,
  { email_hash, kind, sent_at }: SentEmail,
): Promise<void> {
  await db
    .delete(sentEmails)
    .where(
      and(
        eq(sentEmails.email_hash, email_hash),
        eq(sentEmails.kind, kind),
        eq(sentEmails.sent_at, sent_at),
      ),
    )
}
