import type { Context } from 'hono'
import { type LoginAttempt, type LoginUser, recordSuccessfulLogin } from '../database/logins.ts'
import { fullName } from '../domain/names.ts'
import { identifierHash } from '../security/hashes.ts'
import { issueToken } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import { afterResponse } from './background.ts'
import { networkHash } from './client-network.ts'

/** An attempt to log in with an identifier (an email or CPF) from the client's address. */
export function loginAttempt(c: Context, identifier: string): LoginAttempt {
  const settings: Settings = c.get('settings')
  return { identifier: identifierHash(settings, identifier), address: networkHash(settings, c.req) }
}

/** Trusts the client's address for logins with some identifiers, behind the response. */
export function trustAddress(c: Context, ...identifiers: (string | null | undefined)[]): void {
  for (const identifier of identifiers.filter((one) => one != null)) {
    const attempt = loginAttempt(c, identifier)
    afterResponse(c, () => recordSuccessfulLogin(c.get('db'), attempt), 'login not remembered')
  }
}

/** The data of a login response: a new access token and its user. */
export async function loginData(user: LoginUser, settings: Settings) {
  const { id, first_name, last_name, email, role, token_version } = user
  return {
    access_token: await issueToken({ id, role: role.slug, tokenVersion: token_version }, settings),
    token_type: 'Bearer',
    expires_in: settings.JWT_TTL_SECONDS,
    user: { id, first_name, last_name, full_name: fullName(user), email, role },
  }
}
