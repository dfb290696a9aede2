import { and, count, eq, gt, inArray, lte, min, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow } from './columns.ts'
import { failedLogins, roles, users } from './schema.ts'

/** What an email or a CPF identifies; an email is stored in lower case. */
export type Identifier = { email: string } | { cpf: string }

/** For how long a failed login counts. */
const COUNTED_MINUTES = 15

/**
 * The user of an identifier with what a login needs, or null, and the failed logins that count against the
 * identifier, whether or not there is such a user. One round trip.
 *
 * @param identifierHash keyed hash of the identifier
 * @returns failures and the seconds until the oldest of them counts no more
 */
export async function findLogin(db: Database, identifier: Identifier, identifierHash: string) {
  const byIdentifier =
    'email' in identifier ? eq(users.email, identifier.email) : eq(users.cpf, identifier.cpf)
  const oldestCounted = minutesFromNow(-COUNTED_MINUTES)
  const [[user], [role], [counted]] = await db.batch([
    db
      .select({
        id: users.id,
        first_name: users.first_name,
        last_name: users.last_name,
        email: users.email,
        password_hash: users.password_hash,
        token_version: users.token_version,
        email_verification_required: users.email_verification_required,
        email_verified_at: users.email_verified_at,
      })
      .from(users)
      .where(byIdentifier),
    db
      .select()
      .from(roles)
      .where(inArray(roles.id, db.select({ id: users.role_id }).from(users).where(byIdentifier))),
    db
      .select({
        failures: count(),
        seconds: sql<number | null>`
          ceil((julianday(${min(failedLogins.failed_at)}) - julianday(${oldestCounted})) * 86400)`,
      })
      .from(failedLogins)
      .where(and(eq(failedLogins.identifier, identifierHash), gt(failedLogins.failed_at, oldestCounted))),
  ])
  return {
    user: user && role ? { ...user, role } : null,
    failures: counted?.failures ?? 0,
    seconds: counted?.seconds ?? 0,
  }
}

/** Counts a failed login. */
export async function recordFailure(
  db: Database,
  failure: { id: string; identifier: string; address: string },
): Promise<void> {
  await db.insert(failedLogins).values(failure).onConflictDoNothing()
}

/** Deletes the failed logins that no longer count. */
export async function deleteExpiredFailures(db: Database): Promise<void> {
  await db.delete(failedLogins).where(lte(failedLogins.failed_at, minutesFromNow(-COUNTED_MINUTES)))
}

/** Deletes the failed logins of an identifier, after a successful one. */
export async function clearFailures(db: Database, identifierHash: string): Promise<void> {
  await db.delete(failedLogins).where(eq(failedLogins.identifier, identifierHash))
}

/** Stores a hash of today's strength in the place of an needsRehash one. */
export async function updatePasswordHash(db: Database, id: string, password_hash: string): Promise<void> {
  await db.update(users).set({ password_hash }).where(eq(users.id, id))
}
