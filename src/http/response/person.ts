import type { UserRow } from '#database/users/user-row.ts'
import { fullName } from '#domain/names.ts'
import type { UserMembers } from '#openapi/people.ts'

/** Returns the members of a user that responses of informers and administrators share. */
export const personOf = (row: UserRow): UserMembers => ({
  id: row.id,
  first_name: row.first_name,
  last_name: row.last_name,
  full_name: fullName(row),
  initials: row.initials,
  email: row.email,
  cpf: row.cpf,
  phone: row.phone,
  img_url: row.img_url,
  role: row.role,
  created_at: row.created_at,
  updated_at: row.updated_at,
})
