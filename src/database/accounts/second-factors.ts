import { and, eq, gt, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import { hasId, type LoginUser } from './login-users.ts'
import { deleteWrongCodes, isLockedOut } from './wrong-codes.ts'
import type { Actor, CallingActor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { users } from '#database/schema/users.ts'
import { minutesFromNow, NOW } from '#database/sql/columns.ts'
import { hasRow } from '#database/sql/conditions.ts'
import {
  runTransaction,
  runTransactionIf,
  type Statement,
} from '#database/transactions.ts'
import { hasRole, selectUserIds } from '#database/users/conditions.ts'
import { NEXT_TOKEN_VERSION } from '#database/users/revisions.ts'
import { selectUser, type UserRow } from '#database/users/user-row.ts'

// Whether a code is right is decided in security/totp-secrets.ts; whether it was used, here.

const isEnabled = isNotNull(users.second_factor_enabled_at)
const isDisabled = isNull(users.second_factor_enabled_at)

/** A condition: no code of a time step, or of a later one, was used. */
const isUnused = (step: number) =>
  or(isNull(users.second_factor_step), sql`${users.second_factor_step} < ${step}`)

/** The columns of a user without a second factor. */
const NO_SECOND_FACTOR = {
  second_factor_secret: null,
  second_factor_created_at: null,
  second_factor_enabled_at: null,
  second_factor_step: null,
}

/** How long a secret waits for its first code. */
const WAITING_MINUTES = 60

/** The columns of a new password or email: a secret that waits is void. */
export const NO_WAITING_SECRET = {
  second_factor_secret: sql`iif(${isDisabled}, null, ${users.second_factor_secret})`,
}

/** Columns that responses do not show leave `updated_at` as it is. */
const SAME_UPDATED_AT = { updated_at: sql`${users.updated_at}` }

/**
 * Stores a sealed secret that waits for its first code, and replaces one that was waiting. One
 * round trip.
 * @returns false if the factor is enabled already
 */
export async function storeWaitingSecret(
  db: Database,
  sealed: string,
  actor: CallingActor,
): Promise<boolean> {
  const isUser = hasId(actor.caller.id)
  const stored = await runTransactionIf(db, hasRow(users, and(isUser, isDisabled)), {
    actor,
    writes: [
      db
        .update(users)
        .set({
          ...NO_SECOND_FACTOR,
          ...SAME_UPDATED_AT,
          second_factor_secret: sealed,
          second_factor_created_at: NOW,
        })
        .where(isUser),
    ],
  })
  return stored !== null
}

/**
 * Enables the caller's second factor, uses the code and ends all sessions. One round trip.
 * @param user with the secret of the code
 * @returns false if this secret has waited too long, or no longer waits
 */
export async function enableSecondFactor(
  db: Database,
  { id, second_factor_secret: secret }: LoginUser,
  step: number,
  actor: CallingActor,
): Promise<boolean> {
  const isWaiting = and(
    hasId(id),
    sql`${users.second_factor_secret} is ${secret}`,
    gt(users.second_factor_created_at, minutesFromNow(-WAITING_MINUTES)),
    isDisabled,
  )
  const enabled = await runTransactionIf(db, hasRow(users, isWaiting), {
    actor,
    writes: [
      insertAuditEvents(actor, 'second_factor.enabled', id),
      insertNotice('second_factor_enabled', hasId(id)),
      db
        .update(users)
        .set({
          second_factor_enabled_at: NOW,
          second_factor_step: step,
          token_version: NEXT_TOKEN_VERSION,
        })
        .where(hasId(id)),
    ],
  })
  return enabled !== null
}

/**
 * Disables the caller's second factor by a code, and ends all sessions. One round trip.
 * @returns false if the code may not be used
 */
export async function disableOwnSecondFactor(
  db: Database,
  step: number,
  actor: CallingActor,
): Promise<boolean> {
  const { id } = actor.caller
  const disabled = await runTransactionIf(db, isCodeUsable(db, id, step), {
    actor,
    writes: [
      insertAuditEvents(actor, 'second_factor.disabled', id),
      ...disable(db, id, hasId(id)),
    ],
  })
  return disabled !== null
}

/**
 * Disables the second factor of an administrator who has lost it, and ends their sessions; has no
 * effect if none is enabled. One round trip.
 * @returns the administrator, or null
 */
export async function disableSecondFactor(
  db: Database,
  id: string,
  actor: Actor,
): Promise<UserRow | null> {
  const isSubject = and(hasId(id), hasRole('administrator'), isEnabled)
  const subject = selectUserIds(isSubject)
  const { updated } = await runTransaction(db, {
    actor,
    writes: [
      insertAuditEvents(actor, 'second_factor.disabled', subject),
      insertAuditEvents(actor, 'session.ended', subject),
      ...disable(db, id, isSubject),
    ],
    reads: { updated: selectUser(db, { role: 'administrator', id }) },
  })
  return updated[0] ?? null
}

/**
 * Disables the second factor of an administrator by a command, which leaves no record, and ends
 * their sessions. One round trip.
 */
export async function disableByCommand(db: Database, id: string): Promise<void> {
  await runTransaction(db, {
    writes: disable(db, id, and(hasId(id), isNotNull(users.second_factor_secret))),
  })
}

/**
 * Builds the statements that disable a second factor, enqueue the notice where one was enabled,
 * forget wrong codes and end all sessions.
 */
const disable = (db: Database, id: string, where: SQL | undefined): Statement[] => [
  insertNotice('second_factor_disabled', and(where, isEnabled)),
  deleteWrongCodes(db, id),
  db
    .update(users)
    .set({ ...NO_SECOND_FACTOR, token_version: NEXT_TOKEN_VERSION })
    .where(where),
]

/**
 * A condition: a code may be used. The factor is enabled, no code of its time step or a later one
 * was used, and the account is not locked out.
 */
const isCodeUsable = (db: Database, userId: string, step: number): SQL => {
  const isUsable = hasRow(users, and(hasId(userId), isEnabled, isUnused(step)))
  return sql`${isUsable} and not ${isLockedOut(db, userId)}`
}

/**
 * Uses the code of a time step; only one of several requests with the same code succeeds. One round
 * trip.
 * @param actor whose session must be current; none for a login
 * @returns false if it may not be used
 */
export async function consumeCode(
  db: Database,
  userId: string,
  step: number,
  actor?: CallingActor,
): Promise<boolean> {
  const used = await runTransactionIf(db, isCodeUsable(db, userId, step), {
    actor,
    writes: [
      db
        .update(users)
        .set({ ...SAME_UPDATED_AT, second_factor_step: step })
        .where(hasId(userId)),
    ],
  })
  return used !== null
}

/** Returns the sealed secrets of all administrators. One round trip. */
export const listSealedSecrets = (db: Database) =>
  db
    .select({ id: users.id, sealed: sql<string>`${users.second_factor_secret}` })
    .from(users)
    .where(and(hasRole('administrator'), isNotNull(users.second_factor_secret)))

/** Replaces a sealed secret, unless it was replaced meanwhile. One round trip. */
export async function replaceSealedSecret(
  db: Database,
  id: string,
  sealed: string,
  sealedAnew: string,
): Promise<void> {
  await db
    .update(users)
    .set({ ...SAME_UPDATED_AT, second_factor_secret: sealedAnew })
    .where(and(hasId(id), eq(users.second_factor_secret, sealed)))
}
