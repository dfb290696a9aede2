import { eq, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './connection.ts'
import { roles, users } from './schema.ts'

/** The role that a user has now; null where the user no longer exists. */
export async function findRole(db: Database, id: string): Promise<RoleSlug | null> {
  const [role] = await selectRole(db, id)
  return role?.slug ?? null
}

/** The statement of `findRole`, to ride along in a batch; nobody has the id null. */
export function selectRole(db: Database, id: string | null) {
  return db
    .select({ slug: roles.slug })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(sql`${users.id} = ${id}`)
}
