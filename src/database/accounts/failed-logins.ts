import { and, desc, eq, gt, inArray, not, or, type SQL, sql } from 'drizzle-orm'
import { isKnownAddress } from './known-addresses.ts'
import { type LoginAttempt, type LoginUser, selectLoginUser } from './login-users.ts'
import type { Database } from '#database/client.ts'
import { failedLogins } from '#database/schema/login-attempts.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import { runTransaction } from '#database/transactions.ts'

/** Failures within the window that lock an identifier out. */
const MAX_FAILURES = 50
export const LOCKOUT_WINDOW_MINUTES = 15

/**
 * Counts an attempt as failed before its password is verified, and reads its user. One round trip.
 * @returns the user, or null; and the remaining seconds of a lockout, in which nothing is counted
 */
export async function beginLogin(
  db: Database,
  where: SQL,
  attempt: LoginAttempt,
): Promise<{ user: LoginUser | null; retryAfter: number | null }> {
  const { counted, lockouts, found } = await runTransaction(db, {
    writes: [insertAttempt(db, attempt)],
    reads: {
      counted: db
        .select({ id: failedLogins.id })
        .from(failedLogins)
        .where(eq(failedLogins.id, attempt.id)),
      lockouts: selectLockout(db, attempt),
      found: selectLoginUser(db, where),
    },
  })
  const isLockedOut = counted.length === 0
  return {
    user: found[0] ?? null,
    retryAfter: isLockedOut ? (lockouts[0]?.seconds ?? 1) : null,
  }
}

/** Counts an attempt as failed, unless its identifier is locked out. */
const insertAttempt = (db: Database, attempt: LoginAttempt): SQL => sql`
  insert into failed_logins (id, identifier, address)
  select ${attempt.id}, ${attempt.identifiers[0]}, ${attempt.addresses[0]}
  where not exists ${selectLockout(db, attempt)}`

/** Deletes an attempt whose password was right. */
export async function takeBackAttempt(db: Database, { id }: Pick<LoginAttempt, 'id'>) {
  await db.delete(failedLogins).where(eq(failedLogins.id, id))
}

/**
 * Returns a row if locked out: the seconds until the oldest of the last fifty failures expires. A
 * trusted address counts only its own failures, so attacks from elsewhere do not lock a user out at
 * home.
 */
function selectLockout(
  db: Database,
  { identifiers, otherIdentifiers = [], addresses }: LoginAttempt,
) {
  const oldestCounted = minutesFromNow(-LOCKOUT_WINDOW_MINUTES)
  const isTrusted = isKnownAddress([...identifiers, ...otherIdentifiers], addresses)
  return db
    .select({
      seconds: sql<number>`ceil(
        (julianday(${failedLogins.failed_at}) - julianday(${oldestCounted})) * 86400)`,
    })
    .from(failedLogins)
    .where(
      and(
        inArray(failedLogins.identifier, identifiers),
        gt(failedLogins.failed_at, oldestCounted),
        or(inArray(failedLogins.address, addresses), not(isTrusted)),
      ),
    )
    .orderBy(desc(failedLogins.failed_at))
    .limit(1)
    .offset(MAX_FAILURES - 1)
}
