import { and, desc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { wrongCodes } from '#database/schema/login-attempts.ts'
import { users } from '#database/schema/users.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import { runTransaction } from '#database/transactions.ts'

// A wrong code with the right password suggests that someone else has that password. Codes are
// accepted or counted in a transaction that checks the earlier wrong ones, so of a hundred
// simultaneous codes only ten are evaluated.

/** Wrong codes within the window that lock an account out. */
const MAX_WRONG_CODES = 10
export const WRONG_CODE_WINDOW_MINUTES = 24 * 60
/** The owner is notified of this one. */
const TOLD_WRONG_CODES = 3

/**
 * Counts a wrong code, unless the account is locked out, and enqueues a notice to its owner at the
 * third. One round trip.
 * @param userId '' for nobody: counting then takes as long, but counts nothing
 * @returns the remaining seconds of a lockout, or null
 */
export async function countWrongCode(
  db: Database,
  userId: string,
  requestId: string,
): Promise<number | null> {
  const isCounted = eq(wrongCodes.id, requestId)
  const { counted, lockouts } = await runTransaction(db, {
    writes: [
      sql`
        insert into ${wrongCodes} (id, user_id)
        select ${requestId}, ${users.id} from ${users}
        where ${eq(users.id, userId)} and not ${isLockedOut(db, userId)}`,
      insertNotice(
        'password_used',
        and(
          inArray(
            users.id,
            db.select({ id: wrongCodes.user_id }).from(wrongCodes).where(isCounted),
          ),
          hasWrongCodes(TOLD_WRONG_CODES),
        ),
      ),
    ],
    reads: {
      counted: db.select({ id: wrongCodes.id }).from(wrongCodes).where(isCounted),
      lockouts: selectLockout(db, userId),
    },
  })
  return counted.length > 0 ? null : (lockouts[0]?.seconds ?? null)
}

/** A condition: wrong codes of the last day have locked the account out. */
export const isLockedOut = (db: Database, userId: string): SQL =>
  sql`exists ${selectLockout(db, userId)}`

/** Builds the statement that deletes a user's wrong codes. */
export const deleteWrongCodes = (db: Database, userId: string) =>
  db.delete(wrongCodes).where(eq(wrongCodes.user_id, userId))

const oldestCounted = minutesFromNow(-WRONG_CODE_WINDOW_MINUTES)

/** A condition on users: at least this many of their wrong codes are counted. */
const hasWrongCodes = (number: number) => sql`${number} <= (
  select count(*) from ${wrongCodes}
  where ${wrongCodes.user_id} = ${users.id} and ${gt(wrongCodes.entered_at, oldestCounted)})`

/** Returns a row if locked out: the seconds until the oldest of the last ten expires. */
const selectLockout = (db: Database, userId: string) =>
  db
    .select({
      seconds: sql<number>`ceil(
        (julianday(${wrongCodes.entered_at}) - julianday(${oldestCounted})) * 86400)`,
    })
    .from(wrongCodes)
    .where(and(eq(wrongCodes.user_id, userId), gt(wrongCodes.entered_at, oldestCounted)))
    .orderBy(desc(wrongCodes.entered_at))
    .limit(1)
    .offset(MAX_WRONG_CODES - 1)
