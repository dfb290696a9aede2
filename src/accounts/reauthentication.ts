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
import { assertSession, type CallerEnv, isSessionOf, requireToken } from '#http/guards.ts'
import { endedSession, errors, type FieldErrors } from '#http/response/errors.ts'
import type { AccessToken } from '#openapi/access-tokens.ts'
import { type Caller, hasExpired } from '#security/caller.ts'
import { verifyPassword } from '#security/passwords.ts'
import { findCodeStep } from '#security/totp-secrets.ts'

// Re-authentication (OWASP ASVS 5.0, 7.5): a logged-in caller proves again, by the current password
// or by a code, that the account is theirs.

export type LoginUserEnv = CallerEnv & { Variables: { user: LoginUser } }

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
 * Counts the caller's attempt as a failed login, and reads their login anew, `c.get('user')`,
 * because the body may have arrived slowly. Discloses nothing while they are locked out.
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function beginReauthentication(
  c: Context<LoginUserEnv>,
): Promise<LoginAttempt> {
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
  return attempt
}

/**
 * Verifies the caller's password. The attempt counts as a failed login until it is deleted.
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function verifyOwnPassword(
  c: Context<LoginUserEnv>,
  password: string,
): Promise<{ attempt: LoginAttempt; matches: boolean }> {
  const attempt = await beginReauthentication(c)
  const { matches } = await verifyPassword(password, c.get('user').password_hash)
  return { attempt, matches }
}

/**
 * Returns the time step of a code of the caller's second factor, behind a right password
 * (`verifyOwnPassword`); null if it is wrong, which is counted. The transaction that uses the code
 * depends on `isCodeUsable` (database/accounts/second-factors.ts).
 * @throws {ApiError} 429 after ten wrong ones
 */
export async function findOwnCodeStep(
  c: Context<LoginUserEnv>,
  code: string,
  attempt: LoginAttempt,
): Promise<number | null> {
  const { user, settings } = c.var
  const step = await findCodeStep(code, user, settings)
  if (step === null) await countCode(c, user, attempt)
  return step
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
