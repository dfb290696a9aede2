import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { readTokenState, type TokenState } from '../../database/access-tokens.ts'
import type { Actor, IdempotencyKey } from '../../database/audit-events.ts'
import { type Caller, verifyToken } from '../../security/tokens.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv } from '../app-env.ts'
import { errors } from '../errors.ts'

export type AuthEnv = AppEnv & { Variables: { caller: Caller; idempotencyKey?: IdempotencyKey } }
export type OptionalAuthEnv = AppEnv & { Variables: { caller: Caller | null } }

/** For public routes: a token is optional, but must be valid if sent. No round trip. */
export const optionalAuth = createMiddleware<OptionalAuthEnv>(async (c, next) => {
  c.set('caller', await authenticate(c.req.header('Authorization'), c.get('settings')))
  await next()
})

/** Requires a valid token. The handler must read its token state and call `assertNotRevoked`. No round trip. */
export const requireToken = createMiddleware<AuthEnv>(async (c, next) => {
  const caller = await authenticate(c.req.header('Authorization'), c.get('settings'))
  if (!caller) throw errors.missingToken()
  c.set('caller', caller)
  await next()
})

/** Requires a token that is not revoked. One round trip. */
export const requireUser: MiddlewareHandler<AuthEnv> = every(requireToken, async (c, next) => {
  assertNotRevoked(c.get('caller'), await readTokenState(c.get('db'), c.get('caller').id))
  await next()
})

/** Requires an administrator. One round trip. */
export const requireAdmin: MiddlewareHandler<AuthEnv> = every(requireUser, async (c, next) => {
  if (c.get('caller').role !== 'administrator') throw errors.administratorsOnly()
  await next()
})

/** Rejects a token whose user was deleted, changed role or ended all sessions. @throws {ApiError} 401 */
export function assertNotRevoked(caller: Caller, tokenState: TokenState | null): void {
  const isCurrent =
    tokenState?.role === caller.role && tokenState.tokenVersion === caller.tokenVersion
  if (!isCurrent) throw errors.invalidToken()
}

/** The actor of the caller's writes, for the audit. */
export function actorOf(c: Pick<Context<AuthEnv>, 'get'>): Actor {
  return {
    id: c.get('caller').id,
    requestId: c.get('requestId'),
    idempotencyKey: c.get('idempotencyKey'),
  }
}

/** Verifies the Authorization header (RFC 6750, section 2.1). Returns null without one. */
async function authenticate(
  header: string | undefined,
  settings: Settings,
): Promise<Caller | null> {
  if (header === undefined) return null
  const token = header.match(/^Bearer +(?<token>.+)$/i)?.groups?.token?.trim()
  if (!token) throw errors.missingToken()
  const caller = await verifyToken(token, settings)
  if (caller === 'expired') throw errors.expiredToken()
  if (caller === 'invalid') throw errors.invalidToken()
  return caller
}
