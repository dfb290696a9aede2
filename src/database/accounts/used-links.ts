import { eq, sql } from 'drizzle-orm'
import { setPassword } from './passwords.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { deleteEmailTokens, isUsableToken } from '#database/emails/link-tokens.ts'
import { deleteLinkEmails } from '#database/emails/outbox.ts'
import { emailTokens, type LinkKind } from '#database/schema/emails.ts'
import { users } from '#database/schema/users.ts'
import { NOW } from '#database/sql/columns.ts'
import { hasRow } from '#database/sql/conditions.ts'
import { runTransactionIf, type Statement } from '#database/transactions.ts'
import { hasRevision, NEXT_REVISION } from '#database/users/revisions.ts'

/** The user of a token; null if the token is unknown, used or expired. One round trip. */
export async function getTokenUser(db: Database, tokenHash: string, kind: LinkKind) {
  const user = await db
    .select({
      id: users.id,
      first_name: users.first_name,
      last_name: users.last_name,
      email: users.email,
      email_verified_at: users.email_verified_at,
      cpf: users.cpf,
      password_hash: users.password_hash,
      second_factor_enabled_at: users.second_factor_enabled_at,
      revision: users.revision,
    })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.user_id))
    .where(isUsableToken(tokenHash, kind))
    .get()
  return user ?? null
}

type TokenUser = NonNullable<Awaited<ReturnType<typeof getTokenUser>>>

/** A valid token, its user, and the request that uses it. */
export type TokenUse = { tokenHash: string; user: TokenUser; requestId: string }

/**
 * Verifies an email by a token, and sets the password if there is none. One round trip.
 * @returns false if the token was used or expired, or its user was changed, meanwhile
 */
export function verifyEmail(
  db: Database,
  use: TokenUse,
  passwordHash: string | null,
): Promise<boolean> {
  const { user, requestId } = use
  const actor: Actor = { requestId, ownerId: user.id }
  const isVerified = user.email_verified_at !== null // the office may have verified it
  return useToken(db, use, 'verification', [
    ...verifiedEvents(user, actor),
    ...(passwordHash ? setByLink(db, user, passwordHash, actor) : []),
    ...(passwordHash || isVerified
      ? []
      : [
          db
            .update(users)
            .set({ email_verified_at: NOW, revision: NEXT_REVISION })
            .where(eq(users.id, user.id)),
        ]),
    deleteEmailTokens(db, user.id, 'verification'),
  ])
}

/**
 * Sets a new password, and verifies the email. Voids all links, and deletes a queued email with
 * one. One round trip.
 * @returns false if the token was used or expired, or its user was changed, meanwhile
 */
export function resetPassword(
  db: Database,
  use: TokenUse,
  passwordHash: string,
): Promise<boolean> {
  const { user, requestId } = use
  const actor: Actor = { requestId, ownerId: user.id }
  return useToken(db, use, 'password_reset', [
    ...verifiedEvents(user, actor),
    ...setByLink(db, user, passwordHash, actor),
    deleteEmailTokens(db, user.id),
    deleteLinkEmails(db, user.email ?? '', 'password_reset'),
  ])
}

/** Builds the statements that set a password by a link, which proves the email, too. */
const setByLink = (
  db: Database,
  { id, email, password_hash }: TokenUser,
  hash: string,
  actor: Actor,
): Statement[] => [
  insertAuditEvents(actor, 'password.reset', id),
  ...setPassword(
    db,
    { id, email, hasPassword: password_hash !== null },
    { hash, by: 'link' },
    { email_verified_at: VERIFIED_AT },
  ),
]

const VERIFIED_AT = sql`coalesce(${users.email_verified_at}, ${NOW})`

const verifiedEvents = (
  { id, email_verified_at }: TokenUser,
  actor: Actor,
): Statement[] =>
  email_verified_at === null ? [insertAuditEvents(actor, 'email.verified', id)] : []

async function useToken(
  db: Database,
  { tokenHash, user }: TokenUse,
  kind: LinkKind,
  writes: Statement[],
): Promise<boolean> {
  const isTokenUsable = hasRow(emailTokens, isUsableToken(tokenHash, kind))
  const isPossible = sql`${isTokenUsable} and ${hasRow(users, hasRevision(user))}`
  return (await runTransactionIf(db, isPossible, { writes })) !== null
}
