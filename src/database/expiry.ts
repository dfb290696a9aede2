import { inArray, lte, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow } from './columns.ts'
import { emailTokens, failedLogins, idempotencyKeys, knownAddresses } from './schema.ts'

/** D1 ends a statement after 30 seconds, so a million rows go in many. */
const MAX_ROWS = 5_000

export const DAY_MINUTES = 24 * 60
/** Failures within this window lock an identifier out. */
export const LOCKOUT_WINDOW_MINUTES = 15
/** How long an address stays trusted after its last successful login. */
export const TRUSTED_MINUTES = 30 * DAY_MINUTES

/** Indexed timestamps, and the minutes after them for which their rows are kept. */
const EXPIRING = [
  [emailTokens.expires_at, DAY_MINUTES], // they count the emails of a day
  [idempotencyKeys.created_at, 7 * DAY_MINUTES],
  [failedLogins.failed_at, LOCKOUT_WINDOW_MINUTES],
  [knownAddresses.last_login_at, TRUSTED_MINUTES],
] as const

/** Deletes expired rows, the oldest first, some thousands at most of each table: the next run deletes the rest. */
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
