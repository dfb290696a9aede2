import type { Context } from 'hono'
import {
  type LoggedIn,
  type LoginAttempt,
  rememberLogin,
  takeBackAttempt,
  trustAddress,
} from '../../database/login-attempts.ts'
import type { LoginUser } from '../../database/login-users.ts'
import { afterResponse } from '../../http/after-response.ts'
import { networkHashes } from '../../http/client-network.ts'
import { identifierHashes } from '../../security/hashes.ts'
import type { Settings } from '../../settings.ts'

/** An attempt to log in with an identifier (an email or CPF) from the client's address. */
export function loginAttempt(c: Context, identifier: string): LoginAttempt {
  const settings: Settings = c.get('settings')
  return {
    id: c.get('requestId'),
    identifiers: identifierHashes(settings, identifier),
    addresses: networkHashes(settings, c.req),
  }
}

/** After the response: an attempt whose password was right does not count as failed. */
export function takeBackLater(c: Context, attempt: LoginAttempt): void {
  afterResponse(c, () => takeBackAttempt(c.get('db'), attempt), 'attempt not taken back')
}

/**
 * After the response: records the login of an administrator, and trusts the client's address. If
 * that fails, it is logged.
 */
export function rememberLoginLater(
  c: Context,
  user: LoginUser,
  attempt: LoginAttempt,
): void {
  const remember = () => rememberLogin(c.get('db'), user, attempt)
  afterResponse(c, remember, 'login not remembered')
}

/** After the response: trusts the client's address for logins of a user with some identifiers. */
export function trustAddressLater(
  c: Context,
  user: LoggedIn,
  ...identifiers: (string | null)[]
): void {
  const settings: Settings = c.get('settings')
  const hashes = identifiers
    .filter((identifier) => identifier !== null)
    .map((identifier) => identifierHashes(settings, identifier))
  const trust = () =>
    trustAddress(c.get('db'), user, hashes, networkHashes(settings, c.req))
  afterResponse(c, trust, 'login not remembered')
}
