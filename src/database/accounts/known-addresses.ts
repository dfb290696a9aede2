import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { LoginAttempt, LoginUser } from './login-users.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { failedLogins, knownAddresses } from '#database/schema/login-attempts.ts'
import { users } from '#database/schema/users.ts'
import { minutesFromNow } from '#database/sql/columns.ts'
import { hasRow } from '#database/sql/conditions.ts'
import { runTransaction, type Statement } from '#database/transactions.ts'

/** How long an address stays trusted after its last successful login. */
export const TRUSTED_MINUTES = 30 * 24 * 60

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

/**
 * Builds the statement that ends the trust in client addresses for logins with some identifiers.
 */
export const deleteKnownAddresses = (db: Database, identifiers: string[]) =>
  db.delete(knownAddresses).where(inArray(knownAddresses.identifier, identifiers))

/** A condition: an identifier has logged in from an address recently enough that it is trusted. */
export const isKnownAddress = (identifiers: string[], addresses: string[]) =>
  hasRow(
    knownAddresses,
    and(
      inArray(knownAddresses.identifier, identifiers),
      inArray(knownAddresses.address, addresses),
      gt(knownAddresses.last_login_at, minutesFromNow(-TRUSTED_MINUTES)),
    ),
  )
