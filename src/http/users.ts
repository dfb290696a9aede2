import type { Context } from 'hono'
import { deleteUser } from '../database/user-changes.ts'
import type { UpdateRules } from '../database/user-updates.ts'
import type { UserRow } from '../database/users.ts'
import { fullName } from '../domain/names.ts'
import { identifierHashes } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'
import { errors } from './errors.ts'
import { actorOf, type CallerEnv } from './middleware/auth.ts'

// What the routes of informers and administrators have in common.

/** What responses show of every user. */
export const personOf = (row: UserRow) => ({
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

/** The hash of a password that is sent; without one, null or undefined as it came. */
export const hashSentPassword = async (password: string | null | undefined) =>
  password == null ? password : hashPassword(password)

/** The rules of an update. */
export const updateRulesOf = (
  c: Context<CallerEnv>,
  { is_email_verified = false }: { is_email_verified?: boolean | undefined },
): UpdateRules => ({
  confirmsEmail: is_email_verified,
  mustVerifyFirstEmail: c.get('settings').REQUIRE_EMAIL_VERIFICATION,
  hashesOf: (identifier) => identifierHashes(c.get('settings'), identifier),
})

/** Deletes a user, but not the caller. @throws {ApiError} 409 */
export async function deleteOtherUser(
  c: Context<CallerEnv>,
  user: UserRow,
): Promise<void> {
  if (user.id === c.get('caller').id) throw errors.ownAccount()

  const identifiers = [user.id, user.email, user.cpf].filter((value) => value !== null)
  const hashes = identifiers.flatMap((value) =>
    identifierHashes(c.get('settings'), value),
  )
  await deleteUser(c.get('db'), user, hashes, actorOf(c))
}
