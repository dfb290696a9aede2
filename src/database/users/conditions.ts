import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { users } from '#database/schema/users.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** A condition: the user has a role. */
export const hasRole = (role: RoleSlug | Placeholder): SQL =>
  sql`${users.role_id} = (select id from roles where slug = ${role})`

/** Builds the query of the ids of some users, as the subjects of a record. */
export const selectUserIds = (where: SQL | undefined): SQL =>
  sql`select ${users.id} from ${users} where ${where}`
