import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { Hono } from 'hono/tiny'
import type * as z from 'zod/mini'
import { beginLogin, getLoginUser, hasId, type LoginUser } from '../../database/logins.ts'
import { changeOwnPassword } from '../../database/sessions.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { guessablePasswordErrors } from '../../http/chosen-passwords.ts'
import { endedSession, errors, type FieldErrors } from '../../http/errors.ts'
import { messages } from '../../http/messages.ts'
import {
  actorOf,
  assertSession,
  type CallerEnv,
  isCurrent,
  requireToken,
} from '../../http/middleware/auth.ts'
import { jsonBody, validBody } from '../../http/middleware/validation.ts'
import { limitLoginRate } from '../../http/rate-limits.ts'
import type { BodyCheck } from '../../http/refusals.ts'
import { hashPassword, verifyPassword } from '../../security/passwords.ts'
import { hasExpired } from '../../security/tokens.ts'
import { loginAttempt, startSession, takeBackLater, trustAddressLater } from './logins.ts'
import type { AuthResponses } from './openapi.ts'
import { changePasswordBody } from './schemas.ts'

type LoginUserEnv = CallerEnv & { Variables: { user: LoginUser } }

const sessionOf = (user: LoginUser | null) =>
  user && { role: user.role.slug, tokenVersion: user.token_version }

/** Requires a token whose session goes on, and reads the login of its user. One round trip. */
const requireLoginUser: MiddlewareHandler<LoginUserEnv> = every(
  requireToken,
  async (c: Context<LoginUserEnv>, next) => {
    const caller = c.get('caller')
    const user = await getLoginUser(c.get('db'), hasId(caller.id))
    assertSession(caller, sessionOf(user))
    if (user) c.set('user', user)
    await next()
  },
)

/** What the logins of a user are counted by. */
const identifierOf = ({ email, cpf, id }: LoginUser) => email ?? cpf ?? id

/**
 * A wrong password counts as a failed login. Nothing is told of it while the caller is locked out, or
 * if the session ended while the body came. The new one must not be easy to guess.
 */
const checkPasswords: BodyCheck<
  z.output<typeof changePasswordBody>,
  LoginUserEnv
> = async ({ current_password, password }, c): Promise<FieldErrors> => {
  const found = await guessablePasswordErrors(password, c.get('user'))
  if (current_password === undefined) return found

  const { db, caller } = c.var
  const attempt = loginAttempt(c, identifierOf(c.get('user')))
  await limitLoginRate(c, 'login', attempt)
  const { user, retryAfter } = await beginLogin(db, hasId(caller.id), attempt)
  if (!isCurrent(caller, sessionOf(user)) || hasExpired(caller)) {
    takeBackLater(c, attempt)
    throw endedSession(caller)
  }
  if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)

  const { matches } = await verifyPassword(current_password, user?.password_hash ?? null)
  if (!matches) return { ...found, current_password: ['A senha atual está incorreta.'] }
  // a 422 on the new one tells that this one was right; a success takes the attempt back, too
  if (password === undefined || found.password) takeBackLater(c, attempt)
  return found
}

/** Changing one's own password. */
export const password = new Hono<AppEnv>().put(
  '/password',
  requireLoginUser,
  jsonBody(),
  validBody(changePasswordBody, checkPasswords),
  async (c) => {
    const { db, user, caller, settings } = c.var
    const passwordHash = await hashPassword(c.req.valid('json').password)
    await changeOwnPassword(db, passwordHash, actorOf(c))
    trustAddressLater(c, user, identifierOf(user))

    const changed = { ...user, token_version: caller.tokenVersion + 1 }
    return c.json({
      success: true,
      data: await startSession(changed, settings),
      message: messages.passwordChanged,
    } satisfies AuthResponses['PUT /v1/auth/password'])
  },
)
