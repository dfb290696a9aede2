import { afterResponse } from './after-response.ts'
import type { AppContext } from './app-env.ts'
import { findApiToken, noteUse } from '#database/accounts/api-tokens.ts'
import type { Session } from '#database/accounts/sessions.ts'
import { expiryOf, isApiToken } from '#domain/api-tokens.ts'
import { errors } from '#http/response/errors.ts'
import { type Caller, hasExpired } from '#security/caller.ts'
import { digest } from '#security/hashes.ts'
import { verifyToken } from '#security/jwt.ts'

/** The caller of a request, and for an API token its maker's session. */
type Authentication = { caller: Caller; session?: Session }

/**
 * Verifies the Authorization header (RFC 6750, section 2.1). One round trip for an API token, none
 * for that of a login. Returns null without a header.
 * @throws {ApiError} 401
 */
export async function authenticate(c: AppContext): Promise<Authentication | null> {
  const header = c.req.header('Authorization')
  if (header === undefined) return null
  const token = header.match(/^Bearer +(?<token>[^ ].*)$/is)?.groups?.token?.trim()
  if (!token) throw errors.missingToken()
  if (isApiToken(token)) return authenticateProgram(c, token)

  const caller = await verifyToken(token, c.get('settings'))
  if (caller === 'expired') throw errors.expiredToken()
  if (caller === 'invalid') throw errors.invalidToken()
  return { caller }
}

async function authenticateProgram(
  c: AppContext,
  token: string,
): Promise<Authentication> {
  const db = c.get('db')
  const found = await findApiToken(db, await digest(token))
  if (!found) throw errors.invalidToken()

  const { id, scopes, created_by, expires_on, isUsedToday, session } = found
  const caller = {
    id: created_by,
    role: session.role,
    tokenVersion: session.tokenVersion,
    expiresAt: expiryOf(expires_on),
    apiToken: { id, scopes },
  }
  if (hasExpired(caller)) throw errors.expiredToken()

  if (!isUsedToday) {
    afterResponse(c, () => noteUse(db, id), 'use of an API token not noted')
  }
  return { caller, session }
}
