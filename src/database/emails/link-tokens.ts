import { and, eq, gt } from 'drizzle-orm'
import type { Database } from '#database/client.ts'
import { emailTokens, type LinkKind } from '#database/schema/emails.ts'
import { NOW } from '#database/sql/columns.ts'

export const LINK_LIFETIME_MINUTES: Record<LinkKind, number> = {
  verification: 48 * 60,
  password_reset: 60,
}

/** A condition: a token of a kind is neither used nor expired. */
export const isUsableToken = (tokenHash: string, kind: LinkKind) =>
  and(
    eq(emailTokens.token_hash, tokenHash),
    eq(emailTokens.kind, kind),
    gt(emailTokens.expires_at, NOW),
  )

/** Builds the statement that voids a user's links, by default of every kind. */
export const deleteEmailTokens = (db: Database, userId: string, kind?: LinkKind) =>
  db
    .delete(emailTokens)
    .where(and(eq(emailTokens.user_id, userId), kind && eq(emailTokens.kind, kind)))
