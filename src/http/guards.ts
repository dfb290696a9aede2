import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './app-env.ts'
import { authenticate } from './bearer-token.ts'
import { getSession, type Session } from '#database/accounts/sessions.ts'
import type { CallingActor } from '#database/actor.ts'
import { permits, type RequiredScope } from '#domain/api-tokens.ts'
import { errors } from '#http/response/errors.ts'
import type { Caller } from '#security/caller.ts'
import type { Settings } from '#settings.ts'

export type CallerEnv = AppEnv & {
  Variables: {
    caller: Caller
    session: Session
    /** The body as its schema parsed it: set by `validBody` (http/request/validation.ts). */
    parsedBody?: object
  }
}
/** The part of the context of a route with a caller that shared functions use. */
export type CallerContext = Pick<Context<CallerEnv>, 'get' | 'req'>

export type OptionalCallerEnv = AppEnv & {
  Variables: {
    caller: Caller | null
    /** Only for an API token. */
    session?: Session
  }
}

/** Of a route that shows more to administrators, and to API tokens with its scope. */
export type ViewerEnv = OptionalCallerEnv & { Variables: { seesMore: boolean } }

// A guard names the scope that its route requires of an API token; `login` admits none.
// A login's token identifies the caller without a round trip; guards of routes that depend on the
// caller also read their session. The round trip that finds an API token reads the session too.

/** For public routes: a token is optional, but must be valid if it is sent. */
export const optionalToken = createMiddleware<OptionalCallerEnv>(async (c, next) => {
  const { caller = null, session } = (await authenticate(c)) ?? {}
  c.set('caller', caller)
  if (session) c.set('session', session)
  await next()
})

/**
 * Requires a valid token. The handler reads the session together with its own data:
 * `assertSession`.
 */
export const requireToken = (scope: RequiredScope) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const authentication = await authenticate(c)
    if (!authentication) throw errors.missingToken()

    const { caller, session } = authentication
    if (session) {
      assertSecondFactor(c.get('settings'), session)
      c.set('session', session)
    }
    if (!isPermitted(caller, scope)) throw errors.insufficientScope(scope)
    c.set('caller', caller)
    await next()
  })

/** Requires a token whose session is current. One round trip. */
export const requireSession = (scope: RequiredScope): MiddlewareHandler<CallerEnv> =>
  every(
    requireToken(scope),
    createMiddleware<CallerEnv>(async (c, next) => {
      const caller = c.get('caller')
      const session = caller.apiToken
        ? c.get('session')
        : await getSession(c.get('db'), caller.id)
      assertSession(caller, session)
      c.set('session', session)
      await next()
    }),
  )

/** After a session guard: requires an administrator's second factor if the setting does. */
export const requireSecondFactor = createMiddleware<CallerEnv>(async (c, next) => {
  assertSecondFactor(c.get('settings'), c.get('session'))
  await next()
})

/** After a session guard: requires an administrator. */
export const administratorsOnly = createMiddleware<CallerEnv>(async (c, next) => {
  if (c.get('caller').role !== 'administrator') throw errors.administratorsOnly()
  await next()
})

/** Requires a current session, and a second factor if the setting does. One round trip. */
export const requireUser = (scope: RequiredScope): MiddlewareHandler<CallerEnv> =>
  every(requireSession(scope), requireSecondFactor)

/** Requires an administrator. One round trip. */
export const requireAdmin = (scope: RequiredScope): MiddlewareHandler<CallerEnv> =>
  every(requireUser(scope), administratorsOnly)

/**
 * For public routes that show more to administrators, whose session must be current, and to API
 * tokens with the scope: `c.get('seesMore')`.
 */
export const showMoreToAdmins = (scope: RequiredScope): MiddlewareHandler<ViewerEnv> =>
  every(
    optionalToken,
    createMiddleware<ViewerEnv>(async (c, next) => {
      const caller = c.get('caller')
      const seesMore = caller?.role === 'administrator' && isPermitted(caller, scope)
      if (seesMore) {
        const session = c.get('session') ?? (await getSession(c.get('db'), caller.id))
        assertSession(caller, session)
        assertSecondFactor(c.get('settings'), session)
      }
      c.set('seesMore', seesMore)
      await next()
    }),
  )

const isPermitted = ({ apiToken }: Caller, scope: RequiredScope): boolean =>
  !apiToken || permits(apiToken.scopes, scope)

/**
 * Refuses a token whose user was deleted, has another role or has ended all sessions.
 * @throws {ApiError} 401
 */
export function assertSession(
  caller: Caller,
  session: Session | null,
): asserts session is Session {
  if (!isSessionOf(caller, session)) throw errors.invalidToken()
}

/**
 * Refuses an administrator without a second factor if the setting requires one.
 * @throws {ApiError} 403
 */
export function assertSecondFactor(
  { REQUIRE_SECOND_FACTOR }: Pick<Settings, 'REQUIRE_SECOND_FACTOR'>,
  { role, second_factor_enabled_at }: Session,
): void {
  const isRequired = REQUIRE_SECOND_FACTOR && role === 'administrator'
  if (isRequired && second_factor_enabled_at === null) throw errors.secondFactorRequired()
}

/** Returns whether a session is that of a token. */
export const isSessionOf = (caller: Caller, session: Session | null): boolean =>
  session?.role === caller.role && session.tokenVersion === caller.tokenVersion

/** Returns the actor of this request's writes. */
export const actorOf = (c: Pick<Context<CallerEnv>, 'get'>): CallingActor => ({
  caller: c.get('caller'),
  requestId: c.get('requestId'),
})
