import { inArray, lte, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from './client.ts'
import { LOCKOUT_WINDOW_MINUTES } from '#database/accounts/failed-logins.ts'
import { TRUSTED_MINUTES } from '#database/accounts/known-addresses.ts'
import { WRONG_CODE_WINDOW_MINUTES } from '#database/accounts/wrong-codes.ts'
import { emailTokens, sentEmails } from '#database/schema/emails.ts'
import { failedLogins, knownAddresses, wrongCodes } from '#database/schema/logins.ts'
import { apiTokens } from '#database/schema/users.ts'
import { auditEvents, idempotencyKeys, transactions } from '#database/schema/writes.ts'
import { minutesFromNow } from '#database/sql/columns.ts'

/** D1 ends a statement after 30 seconds, so a million rows take several. */
const MAX_ROWS = 5_000
const MAX_RECORDS = 1_000

const DAY_MINUTES = 24 * 60

/** Indexed timestamps or days, and the minutes after them for which their rows are kept. */
const EXPIRING = [
  [emailTokens.expires_at, 0],
  [sentEmails.sent_at, DAY_MINUTES],
  [idempotencyKeys.created_at, 7 * DAY_MINUTES],
  [failedLogins.failed_at, LOCKOUT_WINDOW_MINUTES],
  [wrongCodes.entered_at, WRONG_CODE_WINDOW_MINUTES],
  [knownAddresses.last_login_at, TRUSTED_MINUTES],
  [transactions.committed_at, 60],
  [apiTokens.expires_on, 31 * DAY_MINUTES], // more than 30 days ago
] as const

/**
 * Deletes expired rows, oldest first, at most some thousands of each table: the next run deletes
 * the rest.
 */
export async function deleteExpired(db: Database): Promise<void> {
  const deletions = EXPIRING.map(([column, minutes]) =>
    deleteOldest(db, column, minutes, MAX_ROWS),
  )
  const results = await Promise.allSettled(deletions) // a failure does not stop the others
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Deletes audit records older than a number of days, oldest first. */
export async function deleteOldRecords(db: Database, days: number): Promise<void> {
  await deleteOldest(db, auditEvents.created_at, days * DAY_MINUTES, MAX_RECORDS)
}

/** Builds the deletion of rows some minutes after their timestamp. */
function deleteOldest(
  db: Database,
  column: SQLiteColumn,
  minutes: number,
  maxRows: number,
) {
  const oldest = db
    .select({ rowid: sql`rowid` })
    .from(column.table)
    .where(lte(column, minutesFromNow(-minutes)))
    .orderBy(column)
    .limit(maxRows)
  return db.delete(column.table).where(inArray(sql`rowid`, oldest))
}
