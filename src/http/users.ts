import type { CallerContext } from './guards.ts'
import type { ChangeRules } from '#database/users/concurrent-changes.ts'
import type { UpdateRules } from '#database/users/update.ts'
import type { UserRow } from '#database/users/user-row.ts'
import { fullName } from '#domain/names.ts'
import { expectedRevisions } from '#http/request/entity-tags.ts'
import type { UserMembers } from '#openapi/people.ts'
import { identifierHashes } from '#security/hashes.ts'
import { hashPassword } from '#security/passwords.ts'

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

/** Returns the hash of a sent password; null and undefined are returned unchanged. */
export const hashSentPassword = async (password: string | null | undefined) =>
  password == null ? password : hashPassword(password)

/** Returns the rules of every change of a user. */
export const changeRulesOf = (c: CallerContext): ChangeRules => ({
  expectedRevisions: expectedRevisions(c),
  hashesOf: (identifier) => identifierHashes(c.get('settings'), identifier),
})

/** Returns the rules of an update. */
export const updateRulesOf = (
  c: CallerContext,
  { is_email_verified = false }: { is_email_verified?: boolean | undefined },
): UpdateRules => ({
  ...changeRulesOf(c),
  confirmsEmail: is_email_verified,
  mustVerifyFirstEmail: c.get('settings').REQUIRE_EMAIL_VERIFICATION,
})
