import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { findRole } from '../database/users.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { type Caller, TokenRefused, verifyToken } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { refusals } from './refusals.ts'

export type CallerEnv = AppEnv & { Variables: { caller: Caller } }
export type PerhapsCallerEnv = AppEnv & { Variables: { caller: Caller | null } }

/** A public route: a token may be sent, but one that is sent must be valid. No round trip. */
export const tokenOptional = createMiddleware<PerhapsCallerEnv>(async (c, next) => {
  c.set('caller', await callerOf(c.req.header('Authorization'), c.get('settings')))
  await next()
})

/** A protected route whose own statement reads the caller's role and hands it to `assertStanding`. */
export const tokenRequired = createMiddleware<CallerEnv>(async (c, next) => {
  const caller = await callerOf(c.req.header('Authorization'), c.get('settings'))
  if (!caller) throw refusals.tokenMissing()
  c.set('caller', caller)
  await next()
})

/** A protected route for whoever has a role still. One round trip, which confirms it. */
export const authenticated = every(
  tokenRequired,
  createMiddleware<CallerEnv>(async (c, next) => {
    assertStanding(c.get('caller'), await findRole(c.get('db'), c.get('caller').id))
    await next()
  }),
)

/** A protected route for administrators. One round trip, which confirms that they still are. */
export const administratorsOnly = every(
  authenticated,
  createMiddleware<CallerEnv>(async (c, next) => {
    if (c.get('caller').role !== 'administrator') throw refusals.administratorsOnly()
    await next()
  }),
)

/**
 * A token outlives its user: it counts only while the user exists and has the role that it was issued for.
 *
 * @param role the role that the database holds now, null where there is no such user
 * @throws {Refusal} 401
 */
export function assertStanding(caller: Caller, role: RoleSlug | null): void {
  if (role !== caller.role) throw refusals.tokenInvalid()
}

/** Whom the Authorization header speaks for; null without the header (RFC 6750, section 2.1). */
async function callerOf(header: string | undefined, settings: Settings): Promise<Caller | null> {
  if (header === undefined) return null
  const token = header.match(/^Bearer +(?<token>.+)$/i)?.groups?.token?.trim()
  if (!token) throw refusals.tokenMissing()
  try {
    return await verifyToken(token, settings)
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error
    throw error.reason === 'expired' ? refusals.tokenExpired() : refusals.tokenInvalid()
  }
}
