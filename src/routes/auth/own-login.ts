import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import {
  beginLogin,
  getLoginUser,
  hasId,
  type LoginAttempt,
  type LoginUser,
} from '../../database/logins.ts'
import { endedSession, errors } from '../../http/errors.ts'
import {
  assertSession,
  type CallerEnv,
  isCurrent,
  requireToken,
} from '../../http/middleware/auth.ts'
import { limitLoginRate } from '../../http/rate-limits.ts'
import { type Caller, hasExpired } from '../../security/tokens.ts'
import { loginAttempt, startSession, takeBackLater } from './logins.ts'
import type { Session } from './openapi.ts'

// What the routes share in which a logged-in caller proves again, by the current password or by a
// code, that the account is theirs.

export type LoginUserEnv = CallerEnv & {
  Variables: {
    user: LoginUser
    /** By `beginOwnLogin`. */
    attempt: LoginAttempt
    /** The time step of a right code. */
    step: number
  }
}

/** What the error of a wrong current password says. */
export const WRONG_PASSWORD = { current_password: ['A senha atual está incorreta.'] }

const sessionOf = (user: LoginUser | null) =>
  user && { ...user, role: user.role.slug, tokenVersion: user.token_version }

/** Requires a token whose session is current, and reads the login of its user. One round trip. */
export const requireLoginUser: MiddlewareHandler<LoginUserEnv> = every(
  requireToken,
  async (c: Context<LoginUserEnv>, next) => {
    const caller = c.get('caller')
    const user = await getLoginUser(c.get('db'), hasId(caller.id))
    const session = sessionOf(user)
    assertSession(caller, session)
    c.set('session', session)
    if (user) c.set('user', user)
    await next()
  },
)

/** What the logins of a user are counted by. */
export const identifierOf = ({ email, cpf, id }: LoginUser) => email ?? cpf ?? id

/**
 * Counts the caller's attempt as a failed login, `c.get('attempt')`, and reads their login anew,
 * `c.get('user')`, because the body may have come slowly. Discloses nothing while they are locked
 * out.
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function beginOwnLogin(c: Context<LoginUserEnv>): Promise<void> {
  const { db, caller } = c.var
  const attempt = loginAttempt(c, identifierOf(c.get('user')))
  await limitLoginRate(c, 'login', attempt)

  const { user, retryAfter } = await beginLogin(db, hasId(caller.id), attempt)
  if (!isOpen(caller, user)) {
    takeBackLater(c, attempt)
    throw endedSession(caller)
  }
  if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  c.set('user', user)
  c.set('attempt', attempt)
}

/** What the response shows to a caller whose write has ended every session: the next one. */
export const startNextSession = (c: Context<LoginUserEnv>): Promise<Session> => {
  const { user, caller, settings } = c.var
  return startSession({ ...user, token_version: caller.tokenVersion + 1 }, settings)
}

/** Refuses a write that found another login than the caller's. @throws {ApiError} 401 */
export function assertOpen(
  caller: Caller,
  user: LoginUser | null,
): asserts user is LoginUser {
  if (!isOpen(caller, user)) throw endedSession(caller)
}

const isOpen = (caller: Caller, user: LoginUser | null): user is LoginUser =>
  isCurrent(caller, sessionOf(user)) && !hasExpired(caller)
