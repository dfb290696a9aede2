import { and, desc, eq, getTableColumns, gt, not, or, type SQL, sql } from 'drizzle-orm'
import { batch, type Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { LOCKOUT_WINDOW_MINUTES, TRUSTED_MINUTES } from './expiry.ts'
import { failedLogins, knownAddresses, roles, users } from './schema.ts'
import { hasRow } from './writes.ts'

/** The identifier and client address of a login attempt, as keyed hashes. */
export type LoginAttempt = { identifier: string; address: string }

/** Failures within the window that lock an identifier out. */
const MAX_FAILURES = 50

/** The user of an email (lower case) or CPF, and the remaining lockout, each or null. One round trip. */
export async function getUserForLogin(
  db: Database,
  email: string,
  cpf: string,
  attempt: LoginAttempt,
) {
  const { found, lockouts } = await batch(db, {
    found: selectLoginUser(db, email ? eq(users.email, email) : eq(users.cpf, cpf)),
    lockouts: selectLockout(db, attempt),
  })
  return { user: found[0] ?? null, retryAfter: lockouts[0]?.seconds ?? null }
}

/** The user of an id, with the fields of a login. One round trip. */
export async function getLoginUserById(db: Database, id: string) {
  return (await selectLoginUser(db, eq(users.id, id)).get()) ?? null
}

export type LoginUser = NonNullable<Awaited<ReturnType<typeof getLoginUserById>>>

/** Remaining seconds of a lockout, or null. */
export async function readLockout(db: Database, attempt: LoginAttempt): Promise<number | null> {
  return (await selectLockout(db, attempt).get())?.seconds ?? null
}

/**
 * Records a failed login, unless the identifier was locked out meanwhile. One round trip.
 * @param id the request id, so that a retried write counts once
 * @returns null if recorded, otherwise the remaining seconds of the lockout
 */
export async function recordFailedLogin(
  db: Database,
  id: string,
  attempt: LoginAttempt,
): Promise<number | null> {
  const { counted, lockouts } = await batch(db, {
    failure: sql`
      insert into failed_logins (id, identifier, address)
      select ${id}, ${attempt.identifier}, ${attempt.address} where not exists ${selectLockout(db, attempt)}
      on conflict do nothing`,
    counted: db.select({ id: failedLogins.id }).from(failedLogins).where(eq(failedLogins.id, id)),
    lockouts: selectLockout(db, attempt),
  })
  return counted.length > 0 ? null : (lockouts[0]?.seconds ?? 1)
}

/** Trusts the address of a successful login and deletes its failures. */
export async function recordSuccessfulLogin(db: Database, attempt: LoginAttempt): Promise<void> {
  const { identifier, address } = attempt
  await batch(db, {
    trusted: db
      .insert(knownAddresses)
      .values(attempt)
      .onConflictDoUpdate({
        target: [knownAddresses.identifier, knownAddresses.address],
        set: { last_login_at: NOW },
      }),
    cleared: db
      .delete(failedLogins)
      .where(and(eq(failedLogins.identifier, identifier), eq(failedLogins.address, address))),
  })
}

/** Replaces an outdated password hash, unless the password was changed meanwhile. */
export async function replacePasswordHash(
  db: Database,
  user: Pick<LoginUser, 'id' | 'password_hash'>,
  renewed: string,
) {
  await db
    .update(users)
    .set({ password_hash: renewed, updated_at: sql`${users.updated_at}` })
    .where(and(eq(users.id, user.id), eq(users.password_hash, user.password_hash ?? '')))
}

/** The role as JSON, because a D1 batch merges columns of the same name. */
const role = sql`json_object(
  'id', ${roles.id}, 'name', ${roles.name}, 'slug', ${roles.slug}, 'description', ${roles.description})`.mapWith(
  (text: string) => JSON.parse(text) as typeof roles.$inferSelect,
)

const selectLoginUser = (db: Database, where: SQL) =>
  db
    .select({ ...getTableColumns(users), role })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(where)

/**
 * A row if locked out. An untrusted address counts all failures, a trusted one only its own, so attacks from
 * elsewhere do not lock a user out at home.
 */
function selectLockout(db: Database, { identifier, address }: LoginAttempt) {
  const oldestCounted = minutesFromNow(-LOCKOUT_WINDOW_MINUTES)
  const isOfAttempt = and(
    eq(knownAddresses.identifier, identifier),
    eq(knownAddresses.address, address),
  )
  const isRecent = gt(knownAddresses.last_login_at, minutesFromNow(-TRUSTED_MINUTES))
  const isTrusted = hasRow(knownAddresses, and(isOfAttempt, isRecent))
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
        or(eq(failedLogins.address, address), not(isTrusted)),
      ),
    )
    .orderBy(desc(failedLogins.failed_at))
    .limit(1)
    .offset(MAX_FAILURES - 1)
}
