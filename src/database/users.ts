import { eq, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './client.ts'
import { roles, users } from './schema.ts'

/** What decides whether the tokens of a user are still valid. */
export type Account = { role: RoleSlug; tokenVersion: number }

/** The account of a user as it is now; null where the user no longer exists. */
export async function readAccount(db: Database, id: string): Promise<Account | null> {
  const [account] = await selectAccount(db, id)
  return account ?? null
}

/** The statement of `readAccount`, to join a batch; nobody has the id null. */
export function selectAccount(db: Database, id: string | null) {
  return db
    .select({ role: roles.slug, tokenVersion: users.token_version })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(sql`${users.id} = ${id}`)
}
