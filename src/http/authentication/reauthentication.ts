import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { countCode, loginAttempt, takeBackLater } from './counted-attempts.ts'
import { newAccessToken } from './login-response.ts'
import { limitLoginRate } from './rate-limits.ts'
import { beginLogin } from '#database/accounts/failed-logins.ts'
import {
  getLoginUser,
  hasId,
  type LoginAttempt,
  type LoginUser,
} from '#database/accounts/login-users.ts'
import {
  administratorsOnly,
  assertSession,
  type CallerEnv,
  isSessionOf,
  requireSecondFactor,
  requireToken,
} from '#http/guards.ts'
import { endedSession, errors, ValidationError } from '#http/response/errors.ts'
import type { AccessToken } from '#openapi/people.ts'
import { type Caller, hasExpired } from '#security/caller.ts'
import { verifyPassword } from '#security/passwords.ts'
import { findCodeStep } from '#security/totp-secrets.ts'

// Re-authentication (OWASP ASVS 5.0, 7.5): a logged-in caller proves again, by the current password
// or by a code, that the account is theirs. Handlers ask for it last, when all else is valid: a wrong
// one is the only error of its 422, and no body that is refused anyway is hashed or counted.

export type LoginUserEnv = CallerEnv & { Variables: { user: LoginUser } }

const WRONG_PASSWORD = { current_password: ['A senha atual está incorreta.'] }

/** The error of a code that is wrong, old or used, or for which no secret waits. */
export const INVALID_CODE = { code: ['O código é inválido.'] }

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

/** Requires an administrator as `requireAdmin` does, and reads their login. One round trip. */
export const requireLoginAdmin: MiddlewareHandler<LoginUserEnv> = every(
  requireLoginUser,
  requireSecondFactor,
  administratorsOnly,
)

/** Returns the identifier by which the logins of a user are counted. */
export const identifierOf = ({ email, cpf, id }: LoginUser) => email ?? cpf ?? id

/**
 * Counts the caller's attempt as a failed login, and reads their login anew, `c.get('user')`,
 * because the body may have arrived slowly. Discloses nothing while they are locked out.
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function beginReauthentication(
  c: Context<LoginUserEnv>,
): Promise<LoginAttempt> {
  const { db, caller } = c.var
  const { email, cpf } = c.get('user')
  const others = email && cpf ? [cpf] : []
  const attempt = loginAttempt(c, identifierOf(c.get('user')), others)
  await limitLoginRate(c, 'login', attempt)

  const { user, retryAfter } = await beginLogin(db, hasId(caller.id), attempt)
  if (!isOpen(caller, user)) {
    takeBackLater(c, attempt)
    throw endedSession(caller)
  }
  if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  c.set('user', user)
  return attempt
}

/**
 * Verifies the caller's password.
 * @returns the attempt, which counts as a failed login until it is deleted
 * @throws {ValidationError} if it is wrong
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function verifyOwnPassword(
  c: Context<LoginUserEnv>,
  password: string,
): Promise<LoginAttempt> {
  const attempt = await beginReauthentication(c)
  const { matches } = await verifyPassword(password, c.get('user').password_hash)
  if (!matches) throw new ValidationError(WRONG_PASSWORD)
  return attempt
}

/**
 * Verifies a code of the caller's second factor, behind a right password. The transaction that uses
 * the code depends on `isCodeUsable` (database/accounts/second-factors.ts).
 * @returns its time step
 * @throws {ValidationError} if it is wrong, which is counted
 * @throws {ApiError} 429 after ten wrong ones
 */
export async function verifyOwnCode(
  c: Context<LoginUserEnv>,
  code: string,
  attempt: LoginAttempt,
): Promise<number> {
  const step = await findCodeStep(code, c.get('user'), c.get('settings'))
  return step ?? refuseCode(c, attempt)
}

/**
 * Counts a code that is wrong, or was used before, and refuses it.
 * @throws {ValidationError}
 * @throws {ApiError} 429 after ten wrong ones
 */
export async function refuseCode(
  c: Context<LoginUserEnv>,
  attempt: LoginAttempt,
): Promise<never> {
  await countCode(c, c.get('user'), attempt)
  throw new ValidationError(INVALID_CODE)
}

/**
 * Issues the next access token of a caller whose write has ended every session.
 * @param authTime when the password was last given
 */
export const nextAccessToken = (
  c: Pick<Context<LoginUserEnv>, 'var'>,
  authTime: number | undefined,
): Promise<AccessToken> => {
  const { user, caller, settings } = c.var
  const next = { ...user, token_version: caller.tokenVersion + 1 }
  return newAccessToken(next, authTime, settings)
}

const isOpen = (caller: Caller, user: LoginUser | null): user is LoginUser =>
  isSessionOf(caller, sessionOf(user)) && !hasExpired(caller)
