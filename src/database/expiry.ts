import { inArray, lte, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow } from './columns.ts'
import { LOCKOUT_WINDOW_MINUTES, TRUSTED_MINUTES } from './login-attempts.ts'
import {
  emailTokens,
  failedLogins,
  idempotencyKeys,
  knownAddresses,
  sentEmails,
  transactions,
} from './schema.ts'

/** D1 ends a statement after 30 seconds, so a million rows go in many. */
const MAX_ROWS = 5_000

const DAY_MINUTES = 24 * 60

/** Indexed timestamps, and the minutes after them for which their rows are kept. */
const EXPIRING = [
  [emailTokens.expires_at, 0],
  [sentEmails.sent_at, DAY_MINUTES],
  [idempotencyKeys.created_at, 7 * DAY_MINUTES],
  [failedLogins.failed_at, LOCKOUT_WINDOW_MINUTES],
  [knownAddresses.last_login_at, TRUSTED_MINUTES],
  [transactions.committed_at, 60],
] as const

/**
 * Deletes expired rows, the oldest first, some thousands at most of each table: the next run
 * deletes the rest.
 */
export async function deleteExpired(db: Database): Promise<void> {
  const deletions = EXPIRING.map(([column, minutes]) => {
    const oldest = db
      .select({ rowid: sql`rowid` })
      .from(column.table)
      .where(lte(column, minutesFromNow(-minutes)))
      .orderBy(column)
      .limit(MAX_ROWS)
    return db.delete(column.table).where(inArray(sql`rowid`, oldest))
  })
  await Promise.all(deletions) // a failed one does not stop the others
}
