import { eq, sql } from 'drizzle-orm'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './connection.ts'
import { roles, users } from './schema.ts'

/** What an email or a CPF identifies; an email is stored in lower case. */
export type Identifier = { email: string } | { cpf: string }

/** The user of an identifier with what a login needs, or null. */
export async function findLogin(db: Database, identifier: Identifier) {
  const row = await db
    .select({
      id: users.id,
      first_name: users.first_name,
      last_name: users.last_name,
      email: users.email,
      password_hash: users.password_hash,
      email_verification_required: users.email_verification_required,
      email_verified_at: users.email_verified_at,
      role: roles,
    })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where('email' in identifier ? eq(users.email, identifier.email) : eq(users.cpf, identifier.cpf))
    .get()
  return row ?? null
}

/** Stores a hash of today's strength in the place of an outdated one. */
export async function renewPasswordHash(db: Database, id: string, password_hash: string): Promise<void> {
  await db.update(users).set({ password_hash }).where(eq(users.id, id))
}

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
