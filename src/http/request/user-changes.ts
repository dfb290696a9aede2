import { expectedRevisions } from './entity-tags.ts'
import type { ChangeRules } from '#database/users/concurrent-changes.ts'
import type { UpdateRules } from '#database/users/update.ts'
import type { CallerContext } from '#http/guards.ts'
import { identifierHashes } from '#security/hashes.ts'
import { hashPassword } from '#security/passwords.ts'

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
