import { eq } from 'drizzle-orm'
import type { Database } from '../../src/database/client.ts'
import { roles, users } from '../../src/database/schema.ts'
import { fold } from '../../src/domain/folding.ts'
import { fullName, initials } from '../../src/domain/names.ts'
import { hashPassword } from '../../src/security/passwords.ts'

/**
 * Inserts an administrator: the first one, whom nobody can create by the API.
 * @throws if the migrations are not applied
 */
export async function insertAdministrator(
  db: Database,
  { password, ...person }: { first_name: string; last_name: string | null; email: string; password: string },
): Promise<void> {
  const [role] = await db.select().from(roles).where(eq(roles.slug, 'administrator'))
  if (!role) throw new Error('the database has no role of administrators: apply the migrations first.')
  const name = fullName(person)
  await db
    .insert(users)
    .values({
      ...person,
      id: crypto.randomUUID(),
      role_id: role.id,
      name_folded: fold(name),
      initials: initials(name),
      password_hash: await hashPassword(password),
    })
}
