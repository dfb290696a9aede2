import { inArray, lte, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from './client.ts'
import { KEY_LIFETIME_MINUTES } from './idempotency-keys.ts'
import { REPEATABLE_MINUTES } from './transactions.ts'
import { KEPT_EXPIRED_MINUTES } from '#database/accounts/api-tokens.ts'
import { LOCKOUT_WINDOW_MINUTES } from '#database/accounts/failed-logins.ts'
import { TRUSTED_MINUTES } from '#database/accounts/known-addresses.ts'
import { WRONG_CODE_WINDOW_MINUTES } from '#database/accounts/wrong-codes.ts'
import { auditEvents } from '#database/schema/audit-events.ts'
import { emailTokens, sentEmails } from '#database/schema/emails.ts'
import {
  failedLogins,
  knownAddresses,
  wrongCodes,
} from '#database/schema/login-attempts.ts'
import { idempotencyKeys, transactions } from '#database/schema/transactions.ts'
import { apiTokens } from '#database/schema/users.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import { EMAIL_DAY_MINUTES } from '#domain/email-limits.ts'

/** D1 ends a statement after 30 seconds, so a million rows take several. */
const MAX_ROWS = 5_000
const MAX_RECORDS = 1_000

const DAY_MINUTES = 24 * 60

/** Indexed timestamps or days, and the minutes after them for which their rows are kept. */
const EXPIRING = [
  [emailTokens.expires_at, 0],
  [sentEmails.sent_at, EMAIL_DAY_MINUTES],
  [idempotencyKeys.created_at, KEY_LIFETIME_MINUTES],
  [failedLogins.failed_at, LOCKOUT_WINDOW_MINUTES],
  [wrongCodes.entered_at, WRONG_CODE_WINDOW_MINUTES],
  [knownAddresses.last_login_at, TRUSTED_MINUTES],
  [transactions.committed_at, REPEATABLE_MINUTES],
  [apiTokens.expires_on, KEPT_EXPIRED_MINUTES],
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
