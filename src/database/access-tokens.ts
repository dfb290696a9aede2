import { and, eq, exists, sql } from 'drizzle-orm'
import type { Caller } from '../security/tokens.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { batch, type Database } from './client.ts'
import { voidTokens } from './email-tokens.ts'
import { emailTokens, roles, users } from './schema.ts'

/** What decides whether a user's tokens are still valid. */
export type TokenState = Omit<Caller, 'id'>

/** The current token state of a user; null if the user no longer exists. */
export async function readTokenState(db: Database, id: string): Promise<TokenState | null> {
  return (await selectTokenState(db, id).get()) ?? null
}

/** Builds the query of `readTokenState`, for a batch. The id null has no row. */
export function selectTokenState(db: Database, id: string | null) {
  return db
    .select({ role: roles.slug, tokenVersion: users.token_version })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(sql`${users.id} = ${id}`)
}

/** The user of a token, while its version is current: a repeated write revokes only once. */
const isCurrent = ({ id, tokenVersion }: Caller) =>
  and(eq(users.id, id), eq(users.token_version, tokenVersion))

/** Revokes all access tokens of a user that were issued so far. */
export async function revokeTokens(db: Database, caller: Caller, actor: Actor): Promise<void> {
  await batch(db, {
    user: db
      .update(users)
      .set({ token_version: caller.tokenVersion + 1, updated_at: sql`${users.updated_at}` })
      .where(isCurrent(caller)),
    recorded: insertAuditEvent(actor, 'session.ended', caller.id),
  })
}

/**
 * Changes a password, revokes all access tokens and voids links to reset it, and returns true, unless the caller's token
 * was revoked meanwhile. Whether the former password came by a link holds for the new one. One transaction.
 */
export async function changePassword(
  db: Database,
  caller: Caller,
  passwordHash: string,
  actor: Actor,
) {
  const selectChanged = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, caller.id), eq(users.password_hash, passwordHash)))
  const isVoid = and(eq(emailTokens.kind, 'password_reset'), exists(selectChanged))
  const { changed } = await batch(db, {
    user: db
      .update(users)
      .set({ password_hash: passwordHash, token_version: caller.tokenVersion + 1 })
      .where(isCurrent(caller)),
    recorded: insertAuditEvent(actor, 'password.changed', caller.id),
    links: voidTokens(db, caller.id, actor.requestId, isVoid),
    changed: selectChanged,
  })
  return changed.length > 0
}
