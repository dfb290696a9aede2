import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { type EmailKind, emailOutbox, users } from './schema.ts'

/** Exponential backoff of failed emails, up to a day. */
const FIRST_RETRY_MINUTES = 5
const MAX_RETRY_MINUTES = 24 * 60
/** Emails per run of the cron trigger. */
const BATCH_SIZE = 50

/** An email to send now, with the user of its address. */
export type DueEmail = {
  email: string
  kind: EmailKind
  user_id: string
  first_name: string
  /** The next attempt, if this one fails. */
  due_at: string
}

/** Builds the statement that queues an email due now. The same whether or not the address belongs to a user. */
export function enqueueEmail(db: Database, email: string, kind: EmailKind) {
  return db
    .insert(emailOutbox)
    .values({ email, kind })
    .onConflictDoUpdate({ target: [emailOutbox.email, emailOutbox.kind], set: { attempts: 0, due_at: NOW } })
}

/**
 * Claims due emails by postponing them to the next attempt, so that no concurrent run claims them. Deletes emails
 * without a recipient: the address has no user, or nothing to verify.
 *
 * @param email an address, or null for all
 */
export async function claimDueEmails(db: Database, email: string | null): Promise<DueEmail[]> {
  const isDue = and(lte(emailOutbox.due_at, NOW), email === null ? undefined : eq(emailOutbox.email, email))
  const due = db
    .select({ rowid: sql`rowid` })
    .from(emailOutbox)
    .where(isDue)
    .orderBy(emailOutbox.due_at)
    .limit(BATCH_SIZE)
  const delay = sql`min(${MAX_RETRY_MINUTES}, ${FIRST_RETRY_MINUTES} << min(${emailOutbox.attempts}, 20))`
  const [, claimed] = await db.batch([
    db.delete(emailOutbox).where(and(isDue, sql`not exists ${recipients(db)}`)),
    db
      .update(emailOutbox)
      .set({ attempts: sql`${emailOutbox.attempts} + 1`, due_at: minutesFromNow(delay) })
      .where(inArray(sql`rowid`, due))
      .returning({
        email: emailOutbox.email,
        kind: emailOutbox.kind,
        due_at: emailOutbox.due_at,
        // plain SQL: in `returning`, Drizzle writes columns without their tables
        user_id: sql<string>`(select users.id from users where users.email = email_outbox.email)`,
        first_name: sql<string>`(select users.first_name from users where users.email = email_outbox.email)`,
      }),
  ])
  return claimed
}

/** The user that an email of the outbox is for. */
function recipients(db: Database) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.email, emailOutbox.email),
        sql`(${emailOutbox.kind} = 'password_reset'
          or (${users.email_verification_required} and ${users.email_verified_at} is null))`,
      ),
    )
}

/** Deletes a sent email, unless it was requested again meanwhile. */
export async function deleteEmail(db: Database, { email, kind, due_at }: DueEmail): Promise<void> {
  await db
    .delete(emailOutbox)
    .where(and(eq(emailOutbox.email, email), eq(emailOutbox.kind, kind), eq(emailOutbox.due_at, due_at)))
}
