import { getUser, type UserRow } from './user-row.ts'
import type { Actor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import { RefusedError } from '#database/transactions.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** The input of a change of a user other than columns. */
export type ChangeRules = {
  /** Those that the client may have read; any if undefined. */
  expectedRevisions: number[] | undefined
  /** The hashes by which the logins of an email, a CPF or an id are counted. */
  hashesOf: (identifier: string) => string[]
  /** Throws if the caller may not change a user as stored, or nobody. */
  authorize?: (current: UserRow | null) => Promise<void>
}

/** Why a user was not changed: deleted, or changed since the client last read them. */
export type NotChanged = { outcome: 'gone' } | { outcome: 'changed since' }

/** So that a request stays far below the 1,000 queries that the platform allows it. */
const MAX_TRIES = 100
/** Of the random delay before another try, so that concurrent changes part. */
const MAX_DELAY_MS = 100

/**
 * Changes a user as read, and tries again if they were changed concurrently, as long as they are
 * still as expected. Of concurrent changes one wins each time, so all are done.
 * @param change a transaction that depends on `hasRevision`; null if that has changed
 * @throws {EndedSessionError}
 * @throws {RefusedError} if concurrent changes won every time
 */
export async function changeUser<Result>(
  db: Database,
  role: RoleSlug,
  id: string,
  { expectedRevisions, authorize }: ChangeRules,
  actor: Actor,
  change: (current: UserRow) => Promise<Result | null>,
): Promise<Result | NotChanged> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const current = await getUser(db, role, id, actor)
    await authorize?.(current)
    if (!current) return { outcome: 'gone' }
    if (!isExpected(current, expectedRevisions)) return { outcome: 'changed since' }

    const changed = await change(current)
    if (changed !== null) return changed
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_DELAY_MS))
  }
  throw new RefusedError(`${MAX_TRIES} simultaneous changes`)
}

/** Returns whether a user has one of the expected revisions; any will do if undefined. */
export const isExpected = (
  { revision }: Pick<UserRow, 'revision'>,
  expectedRevisions: number[] | undefined,
): boolean => expectedRevisions?.includes(revision) ?? true
