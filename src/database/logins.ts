import { and, desc, eq, gt, inArray, lte, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { failedLogins, knownAddresses, roles, users } from './schema.ts'

/** What an email or a CPF identifies; an email is stored in lower case. */
export type Identifier = { email: string } | { cpf: string }

/** Which identifier is tried from which address, both as keyed hashes. */
export type LoginAttempt = { identifier: string; address: string }

/** So many failures lock an identifier out, within so many minutes (contract, section 2). */
const MAX_FAILURES = 50
const COUNTED_MINUTES = 15
/** An address is known for so long after the last login from there. */
const KNOWN_MINUTES = 30 * 24 * 60

/**
 * The user of an identifier with what a login needs, or null, and whether the identifier is locked out, whether or
 * not there is such a user. One round trip.
 */
export async function findLogin(db: Database, identifier: Identifier, attempt: LoginAttempt) {
  const byIdentifier =
    'email' in identifier ? eq(users.email, identifier.email) : eq(users.cpf, identifier.cpf)
  const [[user], [role], [lockout]] = await db.batch([
    ...selectUser(db, byIdentifier),
    selectLockout(db, attempt),
  ])
  return { user: user && role ? { ...user, role } : null, retryAfter: lockout?.seconds ?? null }
}

/** The same of a user by id. One round trip. */
export async function readLogin(db: Database, id: string) {
  const [[user], [role]] = await db.batch(selectUser(db, eq(users.id, id)))
  return user && role ? { ...user, role } : null
}

export type LoginUser = NonNullable<Awaited<ReturnType<typeof readLogin>>>

/** Seconds until an identifier is not locked out any more at an address; null where it is not. */
export async function readLockout(db: Database, attempt: LoginAttempt): Promise<number | null> {
  const [lockout] = await selectLockout(db, attempt)
  return lockout?.seconds ?? null
}

/**
 * Counts a failed login, unless the identifier was locked out meanwhile. One round trip.
 *
 * @param id of the request, so that a repeated write counts once
 * @returns null where it counts, else the seconds until the identifier is not locked out any more
 */
export async function recordFailure(db: Database, id: string, attempt: LoginAttempt): Promise<number | null> {
  const [, counted, [lockout]] = await db.batch([
    db
      .insert(failedLogins)
      .select(sql`
        select ${id}, ${attempt.identifier}, ${attempt.address}, ${NOW}
        where not exists ${selectLockout(db, attempt)}`)
      .onConflictDoNothing(),
    db.select({ id: failedLogins.id }).from(failedLogins).where(eq(failedLogins.id, id)),
    selectLockout(db, attempt),
  ])
  return counted.length > 0 ? null : (lockout?.seconds ?? 1)
}

/** After a successful login its address is known, and the failures from there count no more. */
export async function rememberLogin(db: Database, attempt: LoginAttempt): Promise<void> {
  const { identifier, address } = attempt
  await db.batch([
    db
      .insert(knownAddresses)
      .values(attempt)
      .onConflictDoUpdate({
        target: [knownAddresses.identifier, knownAddresses.address],
        set: { last_login_at: NOW },
      }),
    db
      .delete(failedLogins)
      .where(and(eq(failedLogins.identifier, identifier), eq(failedLogins.address, address))),
  ])
}

/** Replaces a password hash by one of today's strength, unless the password was changed meanwhile. */
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

/** Deletes the failed logins that no longer count, and the addresses that are known no more. */
export async function deleteExpiredLogins(db: Database): Promise<void> {
  await db.batch([
    db.delete(failedLogins).where(lte(failedLogins.failed_at, minutesFromNow(-COUNTED_MINUTES))),
    db.delete(knownAddresses).where(lte(knownAddresses.last_login_at, minutesFromNow(-KNOWN_MINUTES))),
  ])
}

/** A user, and the role, in two statements: a batch gives columns of one name back once. */
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
 * The statement that finds a row where an identifier is locked out at an address: by all its failures where it has
 * not logged in from there, else by those from there alone. So nobody is locked out by strangers at home.
 */
export function selectLockout(db: Database, { identifier, address }: LoginAttempt) {
  const oldestCounted = minutesFromNow(-COUNTED_MINUTES)
  const isKnown = db
    .select({ address: knownAddresses.address })
    .from(knownAddresses)
    .where(
      and(
        eq(knownAddresses.identifier, identifier),
        eq(knownAddresses.address, address),
        gt(knownAddresses.last_login_at, minutesFromNow(-KNOWN_MINUTES)),
      ),
    )
  return db
    .select({
      // until the oldest of the last fifty counts no more
      seconds: sql<number>`ceil((julianday(${failedLogins.failed_at}) - julianday(${oldestCounted})) * 86400)`,
    })
    .from(failedLogins)
    .where(
      and(
        eq(failedLogins.identifier, identifier),
        gt(failedLogins.failed_at, oldestCounted),
        or(eq(failedLogins.address, address), notExists(isKnown)),
      ),
    )
    .orderBy(desc(failedLogins.failed_at))
    .limit(1)
    .offset(MAX_FAILURES - 1)
}
