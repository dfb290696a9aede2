import { and, eq, inArray, isNull, lte, ne, not, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#database/client.ts'
import { emailOutbox, type LinkKind, notices } from '#database/schema/emails.ts'
import { users } from '#database/schema/users.ts'
import { minutesFromNow, NOW } from '#database/sql/columns.ts'
import { hasRow } from '#database/sql/conditions.ts'

/** Backoff of failed emails: each delay is four times the previous one, up to a day. */
const FIRST_RETRY_MINUTES = 6
const MAX_RETRY_MINUTES = 24 * 60
/** With these delays the last attempt is a week after the first. */
export const MAX_ATTEMPTS = 12

/** The queues, in the order in which they are sent. */
export const QUEUES = { notices, links: emailOutbox }

type Queue = (typeof QUEUES)[keyof typeof QUEUES]

/**
 * An email with the number of this attempt, from 1, and the time of the next one, should this one
 * fail.
 */
export type ClaimedEmail = Queue['$inferSelect'] & { queue: Queue }

/** The due time of an email that is enqueued again: unchanged, but at most six minutes from now. */
export const dueAgain = ({ due_at }: Queue): SQL<string> =>
  sql`min(${due_at}, ${minutesFromNow(FIRST_RETRY_MINUTES)})`

/**
 * Builds the statement that enqueues an email with a link, due immediately. The write is the same
 * whether or not the address belongs to a user.
 */
export const insertLinkEmail = (db: Database, email: string, kind: LinkKind) =>
  db
    .insert(emailOutbox)
    .values({ email, kind })
    .onConflictDoUpdate({
      target: [emailOutbox.email, emailOutbox.kind],
      set: { attempts: 0, due_at: dueAgain(emailOutbox) },
    })

/** A condition on users: they must still verify their email, or set a password by its link. */
export const needsVerificationLink = and(
  eq(users.email_verification_required, true),
  or(isNull(users.email_verified_at), isNull(users.password_hash)),
)

/**
 * Builds the statement that deletes the queued emails with a link to an address, by default of both
 * kinds.
 */
export const deleteLinkEmails = (db: Database, email: string, kind?: LinkKind) =>
  db
    .delete(emailOutbox)
    .where(and(eq(emailOutbox.email, email), kind && eq(emailOutbox.kind, kind)))

/** Maximum rows that one statement deletes: D1 ends it after 30 seconds. */
const MAX_DELETED = 5_000

/**
 * Deletes due emails with a link that have no recipient, or nothing to verify: anyone can request
 * any number of them, and each would delay the others. One round trip for each few thousand.
 * @param deadline in milliseconds since 1970
 */
export async function deleteEmailsForNobody(
  db: Database,
  deadline: number,
): Promise<void> {
  const hasReason = or(ne(emailOutbox.kind, 'verification'), needsVerificationLink)
  const hasRecipient = hasRow(users, and(eq(users.email, emailOutbox.email), hasReason))
  const forNobody = db
    .select({ rowid: sql`rowid` })
    .from(emailOutbox)
    .where(
      and(
        lte(emailOutbox.due_at, NOW),
        isNull(emailOutbox.user_id), // a notice that 3.0 queued, also to a former address
        not(hasRecipient),
      ),
    )
    .orderBy(emailOutbox.due_at)
    .limit(MAX_DELETED)
  const deletion = db.delete(emailOutbox).where(inArray(sql`rowid`, forNobody))
  let deleted = MAX_DELETED
  while (deleted === MAX_DELETED && Date.now() < deadline) {
    deleted = (await deletion).meta.changes
  }
}

/**
 * Claims the email of a queue that has been due longest, by postponing it to its next attempt so
 * that no concurrent run claims it; null if none is due. One round trip.
 */
export async function claimDueEmail(
  db: Database,
  queue: Queue,
): Promise<ClaimedEmail | null> {
  const oldest = db
    .select({ rowid: sql`rowid` })
    .from(queue)
    .where(lte(queue.due_at, NOW))
    .orderBy(queue.due_at)
    .limit(1)
  const delay = sql`min(
    ${MAX_RETRY_MINUTES}, ${FIRST_RETRY_MINUTES} << min(2 * ${queue.attempts}, 20))`
  const [claimed] = await db
    .update(queue)
    .set({ attempts: sql`${queue.attempts} + 1`, due_at: minutesFromNow(delay) })
    .where(inArray(sql`rowid`, oldest))
    .returning()
  return claimed ? { ...claimed, queue } : null
}

/** A claimed email, unless it was requested again meanwhile. */
const isClaimed = ({
  queue,
  email,
  kind,
  user_id,
  attempts,
  due_at,
}: ClaimedEmail): SQL | undefined =>
  and(
    eq(queue.email, email),
    eq(queue.kind, kind),
    sql`${queue.user_id} is ${user_id}`,
    eq(queue.attempts, attempts),
    eq(queue.due_at, due_at),
  )

/**
 * Deletes a claimed email that was sent, was given up, is never to be sent, or has no recipient.
 */
export async function deleteClaimedEmail(
  db: Database,
  claimed: ClaimedEmail,
): Promise<void> {
  await db.delete(claimed.queue).where(isClaimed(claimed))
}

/** Postpones a claimed email until it may be sent. This attempt does not count. */
export async function postponeClaimedEmail(
  db: Database,
  claimed: ClaimedEmail,
  due_at: string,
): Promise<void> {
  await db
    .update(claimed.queue)
    .set({ attempts: claimed.attempts - 1, due_at })
    .where(isClaimed(claimed))
}
