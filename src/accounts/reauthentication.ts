import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { newAccessToken } from './access-tokens.ts'
import { countCode, loginAttempt, takeBackLater } from './login-attempts.ts'
import { limitLoginRate } from './rate-limits.ts'
import { beginLogin, type LoginAttempt } from '#database/accounts/login-attempts.ts'
import { getLoginUser, hasId, type LoginUser } from '#database/accounts/login-users.ts'
import { assertSession, type CallerEnv, isCurrent, requireToken } from '#http/guards.ts'
import { endedSession, errors, type FieldErrors } from '#http/response/errors.ts'
import type { AccessToken } from '#routes/auth/openapi.ts'
import { verifyPassword } from '#security/passwords.ts'
import { findCodeStep } from '#security/second-factors.ts'
import { type Caller, hasExpired } from '#security/tokens.ts'

// Re-authentication (OWASP ASVS 5.0, 7.5): a logged-in caller proves again, by the current password
// or by a code, that the account is theirs.

export type LoginUserEnv = CallerEnv & {
  Variables: {
    user: LoginUser
    /** Set by `beginReauthentication`. */
    attempt: LoginAttempt
    /** The time step of a right code. */
    step: number
  }
}

/** The error of a wrong current password. */
export const WRONG_PASSWORD = { current_password: ['A senha atual está incorreta.'] }

/** The error of a code that is wrong, old or used, or for which no secret waits. */
export const INVALID_CODE: FieldErrors = { code: ['O código é inválido.'] }

const sessionOf = (user: LoginUser | null) =>
  user && { ...user, role: user.role.slug, tokenVersion: user.token_version }

/** Requires a token whose session is current, and reads the login of its user. One round trip. */
export const requireLoginUser: MiddlewareHandler<LoginUserEnv> = every(
  requireToken('login'),
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

/** Returns the identifier by which the logins of a user are counted. */
export const identifierOf = ({ email, cpf, id }: LoginUser) => email ?? cpf ?? id

/**
 * Counts the caller's attempt as a failed login, `c.get('attempt')`, and reads their login anew,
 * `c.get('user')`, because the body may have arrived slowly. Discloses nothing while they are
 * locked out.
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function beginReauthentication(c: Context<LoginUserEnv>): Promise<void> {
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

/**
 * Returns whether a password is the caller's. It counts as a failed login until the attempt is
 * deleted.
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function isCurrentPassword(
  c: Context<LoginUserEnv>,
  password: string,
): Promise<boolean> {
  await beginReauthentication(c)
  const { matches } = await verifyPassword(password, c.get('user').password_hash)
  return matches
}

/**
 * Checks a code of the caller's second factor, after a right password (`isCurrentPassword`), as
 * part of a body check. Stores the time step of a right code as `c.get('step')`. The transaction
 * that uses it depends on `isCodeUsable(db, codeAttempt(c, user), step)` of
 * database/accounts/second-factors.ts, and runs `updateUsedStep`; where it returns null, the handler throws
 * a `ValidationError` of `refuseCode(c)`.
 * @throws {ApiError} 429 after ten wrong ones
 */
export async function checkCode(
  c: Context<LoginUserEnv>,
  code: string,
): Promise<FieldErrors> {
  const { user, settings } = c.var
  const step = await findCodeStep(code, user, settings)
  if (step === null) return refuseCode(c)
  c.set('step', step)
  return {}
}

/** Counts a code that is wrong or was used meanwhile. @throws {ApiError} 429 after ten */
export async function refuseCode(c: Context<LoginUserEnv>): Promise<FieldErrors> {
  await countCode(c, c.get('user'), c.get('attempt'))
  return INVALID_CODE
}

/**
 * Issues the next access token of a caller whose write has ended every session.
 * @param authTime when the password was last given
 */
export const nextAccessToken = (
  c: Context<LoginUserEnv>,
  authTime: number | undefined,
): Promise<AccessToken> => {
  const { user, caller, settings } = c.var
  const next = { ...user, token_version: caller.tokenVersion + 1 }
  return newAccessToken(next, authTime, settings)
}

const isOpen = (caller: Caller, user: LoginUser | null): user is LoginUser =>
  isCurrent(caller, sessionOf(user)) && !hasExpired(caller)
