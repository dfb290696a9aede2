import { and, count, eq, gt, inArray, lte, min, sql } from 'drizzle-orm'
import { minutesFromNow } from './columns.ts'
import type { Database } from './connection.ts'
import { failedLogins, roles, users } from './schema.ts'

/** What an email or a CPF identifies; an email is stored in lower case. */
export type Identifier = { email: string } | { cpf: string }

/** For how long a failed login counts. */
const COUNTED_MINUTES = 15

/**
 * The user of an identifier with what a login needs, or null, and the failed logins that count against the
 * identifier, whether or not there is such a user. One round trip.
 *
 * @param pseudonym of the identifier
 * @returns failures and the seconds until the oldest of them counts no more
 */
export async function findLogin(db: Database, identifier: Identifier, pseudonym: string) {
  const isMeant = 'email' in identifier ? eq(users.email, identifier.email) : eq(users.cpf, identifier.cpf)
  const oldestCounted = minutesFromNow(-COUNTED_MINUTES)
  const [[user], [role], [counted]] = await db.batch([
    db
      .select({
        id: users.id,
        first_name: users.first_name,
        last_name: users.last_name,
        email: users.email,
        password_hash: users.password_hash,
        email_verification_required: users.email_verification_required,
        email_verified_at: users.email_verified_at,
      })
      .from(users)
      .where(isMeant),
    db
      .select()
      .from(roles)
      .where(inArray(roles.id, db.select({ id: users.role_id }).from(users).where(isMeant))),
    db
      .select({
        failures: count(),
        seconds: sql<number | null>`
          ceil((julianday(${min(failedLogins.failed_at)}) - julianday(${oldestCounted})) * 86400)`,
      })
      .from(failedLogins)
      .where(and(eq(failedLogins.identifier, pseudonym), gt(failedLogins.failed_at, oldestCounted))),
  ])
  return {
    user: user && role ? { ...user, role } : null,
    failures: counted?.failures ?? 0,
    seconds: counted?.seconds ?? 0,
  }
}

/** Counts a failed login. */
export async function recordFailure(db: Database, id: string, pseudonym: string): Promise<void> {
  await db.insert(failedLogins).values({ id, identifier: pseudonym }).onConflictDoNothing()
}

/** Drops the failed logins that count no more. */
export async function dropOldFailures(db: Database): Promise<void> {
  await db.delete(failedLogins).where(lte(failedLogins.failed_at, minutesFromNow(-COUNTED_MINUTES)))
}

/** Forgets the failed logins of an identifier, once one has succeeded. */
export async function forgetFailures(db: Database, pseudonym: string): Promise<void> {
  await db.delete(failedLogins).where(eq(failedLogins.identifier, pseudonym))
}

/** Stores a hash of today's strength in the place of an outdated one. */
export async function renewPasswordHash(db: Database, id: string, password_hash: string): Promise<void> {
  await db.update(users).set({ password_hash }).where(eq(users.id, id))
}
