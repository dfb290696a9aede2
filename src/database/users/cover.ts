import { eq } from 'drizzle-orm'
import { pairsColumn } from './user-row.ts'
import type { Database } from '#database/client.ts'
import { roles, users } from '#database/schema/users.ts'
import { type Placeholders, prepareQuery } from '#database/sql/prepared.ts'

const selectCover = prepareQuery((db, { userId }: Placeholders<{ userId: string }>) =>
  db
    .select({
      id: users.id,
      first_name: users.first_name,
      last_name: users.last_name,
      email: users.email,
      role: roles.slug,
      tokenVersion: users.token_version,
      second_factor_enabled_at: users.second_factor_enabled_at,
      pairs: pairsColumn,
    })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .where(eq(users.id, userId)),
)

/** Returns the cover's data of a user of any role, with their session; or null. One round trip. */
export async function getCover(db: Database, userId: string) {
  return (await selectCover(db, { userId }).get()) ?? null
}
