import { networkHashes } from './client-network.ts'
import { takeBackAttempt } from '#database/accounts/failed-logins.ts'
import {
  type LoggedIn,
  rememberLogin,
  trustAddress,
} from '#database/accounts/known-addresses.ts'
import type { LoginAttempt, LoginUser } from '#database/accounts/login-users.ts'
import { countWrongCode } from '#database/accounts/wrong-codes.ts'
import { afterResponse } from '#http/after-response.ts'
import type { AppContext } from '#http/app-env.ts'
import { errors } from '#http/response/errors.ts'
import { identifierHashes } from '#security/hashes.ts'

/**
 * An attempt to log in with an identifier (an email or CPF) from the client's address.
 * @param others the user's other identifiers, if they are known
 */
export function loginAttempt(
  c: AppContext,
  identifier: string,
  others: string[] = [],
): LoginAttempt {
  const settings = c.get('settings')
  return {
    id: c.get('requestId'),
    identifiers: identifierHashes(settings, identifier),
    otherIdentifiers: others.flatMap((other) => identifierHashes(settings, other)),
    addresses: networkHashes(settings, c.req),
  }
}

/**
 * Counts a code that was not accepted as wrong.
 * @param user null if the password was wrong: this takes as long, but counts nothing
 * @param attempt to log in; deleted before a 429, which discloses that its password was right
 * @throws {ApiError} 429 after ten wrong ones
 */
export async function countCode(
  c: AppContext,
  user: LoggedIn | null,
  attempt: LoginAttempt,
): Promise<void> {
  const retryAfter = await countWrongCode(c.get('db'), user?.id ?? '', attempt.id)
  if (retryAfter === null) return
  takeBackLater(c, attempt)
  throw errors.tooManyRequests(retryAfter)
}

/**
 * After the response: deletes an attempt whose password was right, so that it does not count as
 * failed.
 */
export function takeBackLater(c: AppContext, attempt: LoginAttempt): void {
  afterResponse(c, () => takeBackAttempt(c.get('db'), attempt), 'attempt not taken back')
}

/**
 * After the response: records the login of an administrator, and trusts the client's address. If
 * that fails, it is logged.
 */
export function rememberLoginLater(
  c: AppContext,
  user: LoginUser,
  attempt: LoginAttempt,
): void {
  const remember = () => rememberLogin(c.get('db'), user, attempt)
  afterResponse(c, remember, 'login not remembered')
}

/**
 * After the response: trusts the client's address for logins of a user with some identifiers. Not
 * if a second factor is enabled: the user has not shown that.
 */
export function trustAddressLater(
  c: AppContext,
  user: LoggedIn & Pick<LoginUser, 'second_factor_enabled_at'>,
  ...identifiers: (string | null)[]
): void {
  if (user.second_factor_enabled_at) return

  const settings = c.get('settings')
  const hashes = identifiers
    .filter((identifier) => identifier !== null)
    .map((identifier) => identifierHashes(settings, identifier))
  const trust = () =>
    trustAddress(c.get('db'), user, hashes, networkHashes(settings, c.req))
  afterResponse(c, trust, 'login not remembered')
}
