import { and, desc, eq, gt, inArray, not, or, type SQL, sql } from 'drizzle-orm'
import { type LoginUser, selectLoginUser } from './login-users.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { failedLogins, knownAddresses, users } from '#database/schema.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import { hasRow } from '#database/sql/conditions.ts'
import { runTransaction, type Statement } from '#database/transactions.ts'

/** Failures within the window that lock an identifier out. */
const MAX_FAILURES = 50
export const LOCKOUT_WINDOW_MINUTES = 15
/** How long an address stays trusted after its last successful login. */
export const TRUSTED_MINUTES = 30 * 24 * 60

/**
 * An attempt to log in: its identifier (an email or CPF) and client address, each hashed with the
 * current secret and, if there is one, the previous secret.
 */
export type LoginAttempt = {
  /** The id of its request. */
  id: string
  identifiers: [string, ...string[]]
  addresses: [string, ...string[]]
}

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
const insertAttempt = (
  db: Database,
  { id, identifiers, addresses }: LoginAttempt,
): SQL => sql`
  insert into failed_logins (id, identifier, address)
  select ${id}, ${identifiers[0]}, ${addresses[0]}
  where not exists ${selectLockout(db, { identifiers, addresses })}`

/** Deletes an attempt whose password was right. */
export async function takeBackAttempt(db: Database, { id }: Pick<LoginAttempt, 'id'>) {
  await db.delete(failedLogins).where(eq(failedLogins.id, id))
}

/** A user who has logged in, with their identifiers at that time. */
export type LoggedIn = Pick<LoginUser, 'id' | 'email' | 'cpf'>

/**
 * Records an administrator's login and trusts its address. It runs after the response; the record
 * shares the transaction that deletes the attempt, so if it cannot be written, nothing else of the
 * login is, and the failure is logged.
 */
export async function rememberLogin(
  db: Database,
  user: LoginUser,
  { id: requestId, identifiers, addresses }: LoginAttempt,
): Promise<void> {
  const isAdministrator = user.role.slug === 'administrator'
  const actor = { requestId, ownerId: user.id }
  await runTransaction(db, {
    writes: [
      ...(isAdministrator ? [insertAuditEvents(actor, 'session.started', user.id)] : []),
      ...trustStatements(db, user, [identifiers], addresses),
    ],
  })
}

/**
 * Trusts the address of a client that has proved to be the owner of an account. One transaction.
 */
export async function trustAddress(
  db: Database,
  user: LoggedIn,
  identifiers: LoginAttempt['identifiers'][],
  addresses: LoginAttempt['addresses'],
): Promise<void> {
  await runTransaction(db, {
    writes: trustStatements(db, user, identifiers, addresses),
  })
}

/**
 * Builds the statements that trust an address for each identifier, and delete its failures. If the
 * user's email or CPF was changed meanwhile, nothing is trusted: that change ended all trust.
 */
function trustStatements(
  db: Database,
  user: LoggedIn,
  identifiers: LoginAttempt['identifiers'][],
  addresses: LoginAttempt['addresses'],
): Statement[] {
  const isUnchanged = hasRow(
    users,
    and(
      eq(users.id, user.id),
      sql`${users.email} is ${user.email}`,
      sql`${users.cpf} is ${user.cpf}`,
    ),
  )
  return identifiers.flatMap((hashes): Statement[] => [
    sql`
      insert into ${knownAddresses} (identifier, address)
      select ${hashes[0]}, ${addresses[0]} where ${isUnchanged}
      on conflict (identifier, address) do update set last_login_at = excluded.last_login_at`,
    db
      .delete(failedLogins)
      .where(
        and(
          inArray(failedLogins.identifier, hashes),
          inArray(failedLogins.address, addresses),
        ),
      ),
  ])
}

/** Builds the statement that deletes the failures of some identifiers, by their hashes. */
export const deleteFailures = (db: Database, identifiers: string[]) =>
  db.delete(failedLogins).where(inArray(failedLogins.identifier, identifiers))

/**
 * Builds the statement that ends the trust in client addresses for logins with some identifiers.
 */
export const deleteKnownAddresses = (db: Database, identifiers: string[]) =>
  db.delete(knownAddresses).where(inArray(knownAddresses.identifier, identifiers))

/** A condition: an identifier has logged in from an address recently enough that it is trusted. */
const isKnownAddress = (identifiers: string[], addresses: string[]) =>
  hasRow(
    knownAddresses,
    and(
      inArray(knownAddresses.identifier, identifiers),
      inArray(knownAddresses.address, addresses),
      gt(knownAddresses.last_login_at, minutesFromNow(-TRUSTED_MINUTES)),
    ),
  )

/**
 * Returns a row if locked out: the seconds until the oldest of the last fifty failures expires. A
 * trusted address counts only its own failures, so attacks from elsewhere do not lock a user out at
 * home.
 */
function selectLockout(
  db: Database,
  { identifiers, addresses }: Pick<LoginAttempt, 'identifiers' | 'addresses'>,
) {
  const oldestCounted = minutesFromNow(-LOCKOUT_WINDOW_MINUTES)
  const isTrusted = isKnownAddress(identifiers, addresses)
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
