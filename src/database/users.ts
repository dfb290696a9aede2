import { eq, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './client.ts'
import { roles, users } from './schema.ts'

/** What decides whether a user's tokens are still valid. */
export type TokenState = { role: RoleSlug; tokenVersion: number }

/** The current token state of a user; null if the user no longer exists. */
export async function readTokenState(db: Database, id: string): Promise<TokenState | null> {
  const [tokenState] = await selectTokenState(db, id)
  return tokenState ?? null
}

/** Builds the query of `readTokenState`, for a batch. The id null has no row. */
export function selectTokenState(db: Database, id: string | null) {
  return db
    .select({ role: roles.slug, tokenVersion: users.token_version })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(sql`${users.id} = ${id}`)
}
