import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import type { Actor } from '../../database/audit-events.ts'
import type { Database } from '../../database/client.ts'
import { readTokenState, selectTokenState, type TokenState } from '../../database/users.ts'
import { type Caller, InvalidTokenError, verifyToken } from '../../security/tokens.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv } from '../app-env.ts'
import { errors } from '../errors.ts'

export type AuthEnv = AppEnv & { Variables: { caller: Caller } }
export type RowsEnv<Row> = AuthEnv & { Variables: { rows: Row[] } }
export type OptionalAuthEnv = AppEnv & { Variables: { caller: Caller | null } }

/** A public route: a token may be sent, but one that is sent must be valid. No round trip. */
export const optionalAuth = createMiddleware<OptionalAuthEnv>(async (c, next) => {
  c.set('caller', await authenticate(c.req.header('Authorization'), c.get('settings')))
  await next()
})

/** A protected route whose own statement reads the caller's tokenState and passes it to `assertNotRevoked`. */
export const requireToken = createMiddleware<AuthEnv>(async (c, next) => {
  const caller = await authenticate(c.req.header('Authorization'), c.get('settings'))
  if (!caller) throw errors.missingToken()
  c.set('caller', caller)
  await next()
})

/** A protected route for any user whose token is not revoked. One round trip, which confirms it. */
export const requireUser = every(
  requireToken,
  createMiddleware<AuthEnv>(async (c, next) => {
    assertNotRevoked(c.get('caller'), await readTokenState(c.get('db'), c.get('caller').id))
    await next()
  }),
)

/** A protected route for administrators. One round trip, which confirms that the caller still is one. */
export const requireAdmin = every(
  requireUser,
  createMiddleware<AuthEnv>(async (c, next) => {
    assertAdmin(c.get('caller'))
    await next()
  }),
)

/**
 * As `requireAdmin`, for a handler that must know something before its own statement: in the same round trip it reads
 * rows, which are `c.get('rows')`.
 *
 * @param select the statement that reads them, by the parameters of the path
 */
export function requireAdminAndRead<Row>(
  select: (db: Database, parameters: Record<string, string>) => RunnableQuery<Row[], 'sqlite'>,
): MiddlewareHandler<RowsEnv<Row>> {
  return every(
    requireToken,
    createMiddleware<RowsEnv<Row>>(async (c, next) => {
      const caller = c.get('caller')
      const db = c.get('db')
      const [[tokenState], rows] = await db.batch([
        selectTokenState(db, caller.id),
        select(db, c.req.param()),
      ])
      assertNotRevoked(caller, tokenState ?? null)
      assertAdmin(caller)
      c.set('rows', rows)
      await next()
    }),
  )
}

function assertAdmin({ role }: Caller): void {
  if (role !== 'administrator') throw errors.administratorsOnly()
}

/**
 * A token is valid only while its user exists, has the role that it was issued for, and has not ended the sessions.
 *
 * @param tokenState what the database holds now, null where there is no such user
 * @throws {ApiError} 401
 */
export function assertNotRevoked(caller: Caller, tokenState: TokenState | null): void {
  // versions only rise: a replica that lags behind may not know yet the one of a new token
  const isCurrent = tokenState?.role === caller.role && tokenState.tokenVersion <= caller.tokenVersion
  if (!isCurrent) throw errors.invalidToken()
}

/** Whom a write by the caller is recorded of. */
export function actorOf({ var: { caller, requestId } }: Pick<Context<AuthEnv>, 'var'>): Actor {
  return { id: caller.id, requestId }
}

/** The caller of the Authorization header; null without the header (RFC 6750, section 2.1). */
async function authenticate(header: string | undefined, settings: Settings): Promise<Caller | null> {
  if (header === undefined) return null
  const token = header.match(/^Bearer +(?<token>.+)$/i)?.groups?.token?.trim()
  if (!token) throw errors.missingToken()
  try {
    return await verifyToken(token, settings)
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    throw error.reason === 'expired' ? errors.expiredToken() : errors.invalidToken()
  }
}
