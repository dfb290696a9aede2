import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { getEmailToken, resetPassword } from '../database/email-tokens.ts'
import {
  getLoginUserById,
  type LoginAttempt,
  type LoginUser,
  readLockout,
  recordFailedLogin,
  recordSuccessfulLogin,
} from '../database/logins.ts'
import { changePassword } from '../database/sessions.ts'
import { password, submittedPassword } from '../domain/passwords.ts'
import type { AppEnv } from '../http/app-env.ts'
import { afterResponse } from '../http/background.ts'
import { emailBody, requestEmail } from '../http/email-request.ts'
import { emailToken, emailTokenErrors, invalidLink } from '../http/email-token.ts'
import { errors, type FieldErrors, ValidationError } from '../http/errors.ts'
import { type AuthEnv, actorOf, assertNotRevoked, requireToken } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitEmailTokenRate, limitLoginRate } from '../http/rate-limits.ts'
import { startSession } from '../http/session.ts'
import { digest } from '../security/hashes.ts'
import { hashPassword, verifyPassword } from '../security/passwords.ts'

const CHANGED = 'Senha alterada com sucesso.'
const WRONG_PASSWORD = 'A senha atual está incorreta.'

export const resetBody = z.object({ token: emailToken, password })
export const changeBody = z.object({
  current_password: submittedPassword('senha atual'),
  password,
})

type UserEnv = AuthEnv & { Variables: { user: LoginUser } }

/** Like `requireUser`, but the same round trip also reads the login data. */
const requireLoginUser: MiddlewareHandler<UserEnv> = every(
  requireToken,
  createMiddleware<UserEnv>(async (c, next) => {
    const user = await getLoginUserById(c.get('db'), c.get('caller').id)
    assertNotRevoked(c.get('caller'), user && { role: user.role.slug, tokenVersion: user.token_version })
    if (user) c.set('user', user)
    await next()
  }),
)

/** Changing one's own password, and resetting a forgotten one (contract, section 9). */
export const authPassword = new Hono<AppEnv>()
  .put('/', requireLoginUser, jsonBody(), validBody(changeBody, currentPasswordErrors), async (c) => {
    const { current_password, password } = c.req.valid('json')
    const db = c.get('db')
    const caller = c.get('caller')
    const { isCorrect, attempt } = await checkPassword(c, current_password)
    if (!isCorrect) throw new ValidationError({ current_password: [WRONG_PASSWORD] })
    const passwordHash = await hashPassword(password)
    const { isChanged, retryAfter } = await changePassword(db, caller, { passwordHash, attempt }, actorOf(c))
    if (!isChanged) throw retryAfter === null ? errors.invalidToken() : errors.tooManyRequests(retryAfter)
    afterResponse(c, () => recordSuccessfulLogin(db, attempt), 'login not remembered')
    const user = { ...c.get('user'), token_version: caller.tokenVersion + 1 }
    const data = await startSession(user, c.get('settings'))
    return c.json({ success: true, data, message: CHANGED })
  })
  .post('/forgot', jsonBody(), validBody(emailBody), async (c) => {
    const { email } = c.req.valid('json')
    await limitLoginRate(c, 'password/forgot', email)
    await requestEmail(c, email, 'password_reset')
    const message = 'Se houver um cadastro com este email, uma mensagem com instruções será enviada.'
    return c.json({ success: true, message }, 202)
  })
  .post(
    '/reset',
    jsonBody(),
    limitEmailTokenRate('password/reset'),
    validBody(resetBody, emailTokenErrors('password_reset')),
    async (c) => {
      const { token, password } = c.req.valid('json')
      const db = c.get('db')
      const tokenHash = await digest(token)
      const found = await getEmailToken(db, tokenHash, 'password_reset')
      const use = found && { tokenHash, userId: found.userId, requestId: c.get('requestId') }
      if (!use || !(await resetPassword(db, use, await hashPassword(password))))
        throw invalidLink('password_reset')
      return c.json({ success: true, message: CHANGED })
    },
  )

/** Checks the current password and its lockout even if the new password is invalid, so one 422 reports everything. */
async function currentPasswordErrors(
  body: Record<string, unknown>,
  c: Context<UserEnv>,
): Promise<FieldErrors> {
  const { data } = changeBody.shape.current_password.safeParse(body.current_password)
  if (data === undefined) return {}
  const { isCorrect, attempt } = await checkPassword(c, data)
  if (!isCorrect) return { current_password: [WRONG_PASSWORD] }
  const retryAfter = await readLockout(c.get('db'), attempt)
  if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  return {}
}

/** Compares the caller's password; a wrong one counts as a failed login. */
async function checkPassword(
  c: Context<UserEnv>,
  password: string,
): Promise<{ isCorrect: boolean; attempt: LoginAttempt }> {
  const user = c.get('user')
  const attempt = await limitLoginRate(c, 'login', user.email ?? user.cpf ?? user.id)
  const { matches } = await verifyPassword(password, user.password_hash)
  if (!matches) {
    const retryAfter = await recordFailedLogin(c.get('db'), c.get('requestId'), attempt)
    if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  }
  return { isCorrect: matches, attempt }
}
