import type { Context } from 'hono'
import {
  type LoggedIn,
  type LoginAttempt,
  type LoginUser,
  rememberLogin,
  takeBackAttempt,
  trustAddress,
} from '../../database/logins.ts'
import { fullName } from '../../domain/names.ts'
import { afterResponse } from '../../http/after-response.ts'
import { networkHashes } from '../../http/client-network.ts'
import { identifierHashes } from '../../security/hashes.ts'
import { issueToken } from '../../security/tokens.ts'
import type { Settings } from '../../settings.ts'
import type { Session } from './openapi.ts'

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

/** What the response to a login shows: a new access token and its user. */
export async function startSession(
  user: LoginUser,
  settings: Settings,
): Promise<Session> {
  const { id, first_name, last_name, email, role, token_version } = user
  const caller = { id, role: role.slug, tokenVersion: token_version }
  return {
    access_token: await issueToken(caller, settings),
    token_type: 'Bearer',
    expires_in: settings.JWT_TTL_SECONDS,
    user: { id, first_name, last_name, full_name: fullName(user), email, role },
  }
}
