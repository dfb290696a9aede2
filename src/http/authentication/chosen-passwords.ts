import { isGuessable, type PasswordOwner } from '#domain/guessable-passwords.ts'
import { GUESSABLE_MESSAGE } from '#http/request/person-fields.ts'
import { type FieldErrors, ValidationError } from '#http/response/errors.ts'
import { readCommonPasswords } from '#security/common-passwords.ts'

/**
 * Returns the error of a password that is easy to guess, where people choose their own or an
 * administrator's is set. Passwords that administrators give to informers are not checked.
 * @param password one that meets the rules of `http/request/person-fields.ts`, or none
 */
export async function guessablePasswordErrors(
  password: string | null | undefined,
  owner: PasswordOwner,
): Promise<FieldErrors> {
  if (password == null) return {}
  const commonPasswords = await readCommonPasswords()
  const isRefused = isGuessable(password, owner, commonPasswords)
  return isRefused ? { password: [GUESSABLE_MESSAGE] } : {}
}

/**
 * Refuses a password that is easy to guess, if its owner is known only after the body was valid.
 * @throws {ValidationError}
 */
export async function assertNotGuessable(
  password: string | null | undefined,
  owner: PasswordOwner,
): Promise<void> {
  const errors = await guessablePasswordErrors(password, owner)
  if (errors.password) throw new ValidationError(errors)
}
