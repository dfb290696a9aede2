import type { Context } from 'hono'
import { type LoginAttempt, type LoginUser, recordSuccessfulLogin } from '../database/logins.ts'
import { fullName } from '../domain/names.ts'
import { identifierHash, keyedHash } from '../security/hashes.ts'
import { issueToken } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import { afterResponse } from './background.ts'
import { clientNetwork } from './client-network.ts'

/** An attempt to log in with an identifier (an email or CPF) from the client's address. */
export async function loginAttempt(
  // oxlint-disable-next-line no-explicit-any -- each route has its own Env
  c: Context<any>,
  identifier: string,
): Promise<LoginAttempt> {
  const settings: Settings = c.get('settings')
  return {
    identifier: await identifierHash(settings, identifier),
    address: await keyedHash(settings, 'network', clientNetwork(c.req)),
  }
}

/** Trusts the client's address for logins with some identifiers, behind the response. */
export function trustAddress(c: Context, identifiers: (string | null)[]): void {
  for (const identifier of identifiers)
    if (identifier)
      afterResponse(
        c,
        async () => recordSuccessfulLogin(c.get('db'), await loginAttempt(c, identifier)),
        'login not remembered',
      )
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
