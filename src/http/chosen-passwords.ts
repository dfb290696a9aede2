import { isGuessable, type PasswordOwner } from '../domain/guessable-passwords.ts'
import { readCommonPasswords } from '../security/common-passwords.ts'
import type { FieldErrors } from './errors.ts'
import { GUESSABLE_MESSAGE } from './person-fields.ts'

/**
 * The error of a password that people choose, or that of an administrator, if it is easy to guess.
 * A password that an administrator gives to an informer is not checked.
 * @param password one that keeps to the rules of `http/person-fields.ts`, or none
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
