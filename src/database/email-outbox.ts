import { and, inArray, lte, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { type EmailKind, emailOutbox } from './schema.ts'

/** Backoff of emails that fail or have to wait: each delay is four times the one before, up to a day. */
const FIRST_RETRY_MINUTES = 6
const MAX_RETRY_MINUTES = 24 * 60
/** With these delays the last attempt is a week after the first. */
export const MAX_ATTEMPTS = 12
/** Emails of one claim. */
export const BATCH_SIZE = 50

/** With the number of this attempt, from 1, and the time of the next one, if this one fails. */
export type ClaimedEmail = typeof emailOutbox.$inferSelect

/**
 * Builds the statement that enqueues an email, due at once: the same write whether or not the address belongs to a
 * user. One that is queued already keeps its time, or comes in six minutes: it may be on its way.
 */
export function enqueueEmail(db: Database, email: string, kind: EmailKind) {
  const due_at = sql`min(${emailOutbox.due_at}, ${minutesFromNow(FIRST_RETRY_MINUTES)})`
  return db
    .insert(emailOutbox)
    .values({ email, kind })
    .onConflictDoUpdate({
      target: [emailOutbox.email, emailOutbox.kind],
      set: { attempts: 0, due_at },
    })
}

/**
 * Claims the oldest due emails by postponing them to the next attempt, so that no concurrent run claims them. Two round
 * trips, or one that reads one row if none is due.
 */
export async function claimDueEmails(db: Database): Promise<ClaimedEmail[]> {
  const isDue = lte(emailOutbox.due_at, NOW)
  const due = await db
    .select({ rowid: sql<number>`rowid` })
    .from(emailOutbox)
    .where(isDue)
    .orderBy(emailOutbox.due_at)
    .limit(BATCH_SIZE)
  if (due.length === 0) return []
  const rowids = due.map(({ rowid }) => rowid)
  const delay = sql`min(${MAX_RETRY_MINUTES}, ${FIRST_RETRY_MINUTES} << min(2 * ${emailOutbox.attempts}, 20))`
  return db
    .update(emailOutbox)
    .set({ attempts: sql`${emailOutbox.attempts} + 1`, due_at: minutesFromNow(delay) })
    .where(and(inArray(sql`rowid`, rowids), isDue))
    .returning()
}

/** Deletes claimed emails, unless they were requested again meanwhile. */
export async function deleteEmails(db: Database, emails: ClaimedEmail[]): Promise<void> {
  const field = (name: string) => sql`value ->> ${name}`
  await db.delete(emailOutbox).where(
    sql`(${emailOutbox.email}, ${emailOutbox.kind}, ${emailOutbox.attempts}, ${emailOutbox.due_at}) in (
      select ${field('email')}, ${field('kind')}, ${field('attempts')}, ${field('due_at')}
      from json_each(${JSON.stringify(emails)}))`,
  )
}
