import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { type Actor, isActorCurrent, record, selectRecords } from './audit-events.ts'
import { writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { hasId, type LoginUser, selectLoginUser } from './logins.ts'
import { users } from './schema.ts'
import { type CallingActor, hasSession } from './sessions.ts'
import { hasRole, selectUser, selectUserIds, type UserRow } from './users.ts'

// Which codes are right is for security/second-factors.ts: here is which of them were used.

const isEnabled = isNotNull(users.second_factor_enabled_at)
const isDisabled = isNull(users.second_factor_enabled_at)

/** A condition: no code of a time step, or of a later one, was used. */
const isUnused = (step: number) =>
  or(isNull(users.second_factor_step), sql`${users.second_factor_step} < ${step}`)

/** What a user without a second factor has. */
export const NO_SECOND_FACTOR = {
  second_factor_secret: null,
  second_factor_enabled_at: null,
  second_factor_step: null,
  second_factor_request_id: null,
}

/** What nobody is shown does not move `updated_at`. */
const UNSEEN = { updated_at: sql`${users.updated_at}` }

/**
 * Stores a sealed secret that waits for its first code, in the place of one that waited, while the
 * caller's session goes on. One transaction.
 * @returns the user, with another secret if this one was not stored; null if there is none
 */
export async function storeWaitingSecret(
  db: Database,
  sealed: string,
  actor: CallingActor,
): Promise<LoginUser | null> {
  const { id } = actor.caller
  const store = db
    .update(users)
    .set({ ...NO_SECOND_FACTOR, ...UNSEEN, second_factor_secret: sealed })
    .where(and(hasId(id), isActorCurrent(actor), isDisabled))

  const { found } = await writeAndRead(db, [store], {
    found: selectLoginUser(db, hasId(id)),
  })
  return found[0] ?? null
}

/**
 * Enables the caller's second factor, uses the code and ends all sessions. One transaction.
 * @param user with the secret of the code
 * @returns false if this secret is not waiting
 */
export async function enableSecondFactor(
  db: Database,
  { second_factor_secret }: LoginUser,
  step: number,
  actor: CallingActor,
): Promise<boolean> {
  const { caller } = actor
  const isWaiting = and(
    sql`${users.second_factor_secret} is ${second_factor_secret}`,
    isDisabled,
  )
  const subject = selectUserIds(and(hasId(caller.id), isWaiting))

  const enable = db
    .update(users)
    .set({
      second_factor_enabled_at: NOW,
      second_factor_step: step,
      token_version: caller.tokenVersion + 1,
    })
    .where(and(hasSession(caller), isWaiting))

  const { records } = await writeAndRead(
    db,
    [record(actor, 'second_factor.enabled', subject), enable],
    { records: selectRecords(db, actor, caller.id) },
  )
  return records.length > 0
}

/**
 * Disables the caller's second factor by a code, and ends all sessions. One transaction.
 * @returns false if the code was used meanwhile
 */
export async function disableOwnSecondFactor(
  db: Database,
  step: number,
  actor: CallingActor,
): Promise<boolean> {
  const { caller } = actor
  const isUsable = and(isEnabled, isUnused(step))
  const subject = selectUserIds(and(hasId(caller.id), isUsable))

  const disable = db
    .update(users)
    .set({ ...NO_SECOND_FACTOR, token_version: caller.tokenVersion + 1 })
    .where(and(hasSession(caller), isUsable))

  const { records } = await writeAndRead(
    db,
    [record(actor, 'second_factor.disabled', subject), disable],
    { records: selectRecords(db, actor, caller.id) },
  )
  return records.length > 0
}

/**
 * Disables the second factor of an administrator who has lost it, and ends their sessions; nothing
 * changes where none is enabled. One transaction.
 * @returns the administrator, or null
 */
export async function disableSecondFactor(
  db: Database,
  id: string,
  actor: Actor,
): Promise<UserRow | null> {
  const isSubject = and(hasId(id), hasRole('administrator'), isEnabled)
  const subject = selectUserIds(isSubject)
  const disable = db
    .update(users)
    .set({ ...NO_SECOND_FACTOR, token_version: sql`${users.token_version} + 1` })
    .where(isSubject)

  const { updated } = await writeAndRead(
    db,
    [
      record(actor, 'second_factor.disabled', subject),
      record(actor, 'session.ended', subject),
      disable,
    ],
    { updated: selectUser(db, 'administrator', id) },
  )
  return updated[0] ?? null
}

/**
 * Uses the code of a time step for a login: of many requests with the same one, one. One
 * transaction.
 * @returns false if it, or a later one, was used by another request
 */
export async function useCode(
  db: Database,
  userId: string,
  step: number,
  requestId: string,
): Promise<boolean> {
  const use = db
    .update(users)
    .set({ ...UNSEEN, second_factor_step: step, second_factor_request_id: requestId })
    .where(and(hasId(userId), isEnabled, isUnused(step)))
  const isUsed = eq(users.second_factor_request_id, requestId)

  const { used } = await writeAndRead(db, [use], {
    used: db
      .select({ id: users.id })
      .from(users)
      .where(and(hasId(userId), isUsed)),
  })
  return used.length > 0
}

/** The sealed secrets of all administrators. One round trip. */
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
    .set({ ...UNSEEN, second_factor_secret: sealedAnew })
    .where(and(hasId(id), eq(users.second_factor_secret, sealed)))
}
