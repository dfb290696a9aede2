import { and, eq, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Caller } from '../security/tokens.ts'
import { type Actor, record, selectRecords } from './audit-events.ts'
import { writeAll, writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { deleteEmailTokens } from './email-tokens.ts'
import { enqueuePasswordNotice } from './notices.ts'
import { roles, users } from './schema.ts'
import { selectUserIds } from './users.ts'

/** What decides whether a user's tokens are still valid, and what they open. */
export type Session = Pick<Caller, 'role' | 'tokenVersion'> & {
  second_factor_enabled_at: string | null
}

/** The actor of a write by a logged-in user. */
export type CallingActor = Extract<Actor, { caller: Caller }>

/** The current session of a user; null if the user no longer exists. One round trip. */
export async function getSession(db: Database, userId: string): Promise<Session | null> {
  const session = await db
    .select({
      role: roles.slug,
      tokenVersion: users.token_version,
      second_factor_enabled_at: users.second_factor_enabled_at,
    })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(eq(users.id, userId))
    .get()
  return session ?? null
}

/** A user with the version of their tokens. */
type TokenHolder = Pick<Caller, 'id' | 'tokenVersion'>

/**
 * The user of a token, while its version is current: a write that is retried ends sessions once.
 */
export const hasSession = ({ id, tokenVersion }: TokenHolder) =>
  and(eq(users.id, id), eq(users.token_version, tokenVersion))

/** Builds the statement that ends all sessions of a version. */
const endVersion = (db: Database, holder: TokenHolder) =>
  db
    .update(users)
    .set({ token_version: holder.tokenVersion + 1, updated_at: sql`${users.updated_at}` })
    .where(hasSession(holder))

/** Ends all sessions of the caller. */
export async function endOwnSessions(db: Database, actor: CallingActor): Promise<void> {
  const { caller } = actor
  await writeAll(db, [record(actor, 'session.ended', caller.id), endVersion(db, caller)])
}

/** Sessions that another request ends first cost one more try. */
const MAX_TRIES = 10

/**
 * Ends all sessions of a user, also where none is open. One transaction after the version was read,
 * and again if it has changed meanwhile, so that no token of before stays valid.
 * @returns false if there is no such user
 */
export async function endSessions(
  db: Database,
  role: RoleSlug,
  id: string,
  actor: CallingActor,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const session = await getSession(db, id)
    if (session?.role !== role) return false

    const holder = { id, tokenVersion: session.tokenVersion }
    const subject = selectUserIds(hasSession(holder))
    const { records } = await writeAndRead(
      db,
      [record(actor, 'session.ended', subject), endVersion(db, holder)],
      { records: selectRecords(db, actor, id) },
    )
    if (records.length > 0) return true
  }
  return true // others have ended them each time
}

/**
 * Changes the caller's password, enqueues the notice, ends all sessions and voids links to reset
 * it. Whether the former password came by a link holds for the new one. One transaction.
 */
export async function changeOwnPassword(
  db: Database,
  passwordHash: string,
  actor: CallingActor,
): Promise<void> {
  const { caller } = actor
  await writeAll(db, [
    record(actor, 'password.changed', caller.id),
    deleteEmailTokens(db, caller.id, 'password_reset'),
    enqueuePasswordNotice(hasSession(caller), passwordHash),
    db
      .update(users)
      .set({ password_hash: passwordHash, token_version: caller.tokenVersion + 1 })
      .where(hasSession(caller)),
  ])
}
