import { and, desc, eq, gt, inArray, lte, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { failedLogins, knownNetworks, roles, users } from './schema.ts'

/** A login identifier; emails are stored in lower case. */
export type Identifier = { email: string } | { cpf: string }

/** The identifier and network of a login attempt, as keyed hashes. */
export type LoginAttempt = { identifier: string; network: string }

/** Failures within the window that lock an identifier out (contract, section 2). */
const MAX_FAILURES = 50
const WINDOW_MINUTES = 15
/** How long a network stays trusted after its last successful login. */
const TRUSTED_MINUTES = 30 * 24 * 60

/**
 * The user of an identifier, or null, and the remaining lockout, or null. Unknown identifiers are locked out too. One
 * round trip.
 */
export async function getUserForLogin(db: Database, identifier: Identifier, attempt: LoginAttempt) {
  const byIdentifier =
    'email' in identifier ? eq(users.email, identifier.email) : eq(users.cpf, identifier.cpf)
  const [[user], [role], [lockout]] = await db.batch([
    ...selectUser(db, byIdentifier),
    selectLockout(db, attempt),
  ])
  return { user: user && role ? { ...user, role } : null, retryAfter: lockout?.seconds ?? null }
}

/** The user of an id, with the fields of a login. One round trip. */
export async function getLoginUserById(db: Database, id: string) {
  const [[user], [role]] = await db.batch(selectUser(db, eq(users.id, id)))
  return user && role ? { ...user, role } : null
}

export type LoginUser = NonNullable<Awaited<ReturnType<typeof getLoginUserById>>>

/** Remaining seconds of a lockout, or null. */
export async function readLockout(db: Database, attempt: LoginAttempt): Promise<number | null> {
  const [lockout] = await selectLockout(db, attempt)
  return lockout?.seconds ?? null
}

/**
 * Records a failed login, unless the identifier was locked out meanwhile. One round trip.
 *
 * @param id the request id, so that a retried write counts once
 * @returns null if recorded, otherwise the remaining seconds of the lockout
 */
export async function recordFailedLogin(
  db: Database,
  id: string,
  attempt: LoginAttempt,
): Promise<number | null> {
  const [, counted, [lockout]] = await db.batch([
    db
      .insert(failedLogins)
      .select(sql`
        select ${id}, ${attempt.identifier}, ${attempt.network}, ${NOW}
        where not exists ${selectLockout(db, attempt)}`)
      .onConflictDoNothing(),
    db.select({ id: failedLogins.id }).from(failedLogins).where(eq(failedLogins.id, id)),
    selectLockout(db, attempt),
  ])
  return counted.length > 0 ? null : (lockout?.seconds ?? 1)
}

/** Trusts the network of a successful login and deletes its failures. */
export async function recordSuccessfulLogin(db: Database, attempt: LoginAttempt): Promise<void> {
  const { identifier, network } = attempt
  await db.batch([
    db
      .insert(knownNetworks)
      .values(attempt)
      .onConflictDoUpdate({
        target: [knownNetworks.identifier, knownNetworks.network],
        set: { last_login_at: NOW },
      }),
    db
      .delete(failedLogins)
      .where(and(eq(failedLogins.identifier, identifier), eq(failedLogins.network, network))),
  ])
}

/** Replaces an outdated password hash, unless the password was changed meanwhile. */
export async function replacePasswordHash(
  db: Database,
  { id, password_hash }: Pick<LoginUser, 'id' | 'password_hash'>,
  renewed: string,
): Promise<void> {
  await db
    .update(users)
    .set({ password_hash: renewed, updated_at: sql`${users.updated_at}` })
    .where(and(eq(users.id, id), eq(users.password_hash, password_hash ?? '')))
}

/** Deletes expired failures and networks. */
export async function deleteExpiredLogins(db: Database): Promise<void> {
  await db.batch([
    db.delete(failedLogins).where(lte(failedLogins.failed_at, minutesFromNow(-WINDOW_MINUTES))),
    db.delete(knownNetworks).where(lte(knownNetworks.last_login_at, minutesFromNow(-TRUSTED_MINUTES))),
  ])
}

/** The user and the role in two statements, because a D1 batch merges columns of the same name. */
function selectUser(db: Database, where: SQL) {
  return [
    db
      .select({
        id: users.id,
        first_name: users.first_name,
        last_name: users.last_name,
        email: users.email,
        cpf: users.cpf,
        password_hash: users.password_hash,
        token_version: users.token_version,
        email_verification_required: users.email_verification_required,
        email_verified_at: users.email_verified_at,
      })
      .from(users)
      .where(where),
    db
      .select()
      .from(roles)
      .where(inArray(roles.id, db.select({ id: users.role_id }).from(users).where(where))),
  ] as const
}

/**
 * A row if locked out. An untrusted network counts all failures, a trusted one only its own, so attacks from
 * elsewhere do not lock a user out at home.
 */
export function selectLockout(db: Database, { identifier, network }: LoginAttempt) {
  const oldestCounted = minutesFromNow(-WINDOW_MINUTES)
  const isTrusted = db
    .select({ network: knownNetworks.network })
    .from(knownNetworks)
    .where(
      and(
        eq(knownNetworks.identifier, identifier),
        eq(knownNetworks.network, network),
        gt(knownNetworks.last_login_at, minutesFromNow(-TRUSTED_MINUTES)),
      ),
    )
  return db
    .select({
      // until the oldest of the last fifty expires
      seconds: sql<number>`ceil((julianday(${failedLogins.failed_at}) - julianday(${oldestCounted})) * 86400)`,
    })
    .from(failedLogins)
    .where(
      and(
        eq(failedLogins.identifier, identifier),
        gt(failedLogins.failed_at, oldestCounted),
        or(eq(failedLogins.network, network), notExists(isTrusted)),
      ),
    )
    .orderBy(desc(failedLogins.failed_at))
    .limit(1)
    .offset(MAX_FAILURES - 1)
}
