import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { changePassword } from '../database/access-tokens.ts'
import { enqueueEmail } from '../database/email-outbox.ts'
import { resetPassword } from '../database/email-tokens.ts'
import { getLoginUserById, type LoginUser, readLockout, recordFailedLogin } from '../database/logins.ts'
import { password, submittedPassword } from '../domain/passwords.ts'
import { checkLink, type EmailLinkEnv, emailBody, emailToken, invalidLink } from '../http/email-links.ts'
import { errors, type FieldErrors } from '../http/errors.ts'
import { loginAttempt, loginData, trustAddress } from '../http/login.ts'
import { type AuthEnv, actorOf, assertNotRevoked, requireToken } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitTokenRate, limitLoginRate } from '../http/rate-limits.ts'
import { hashPassword, verifyPassword } from '../security/passwords.ts'

const CHANGED = 'Senha alterada com sucesso.'

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

/**
 * Compares the caller's current password. A wrong one counts as a failed login, and a right one is not told while the
 * caller is locked out.
 */
async function checkCurrentPassword(
  { current_password }: { current_password?: string },
  c: Context<UserEnv>,
): Promise<FieldErrors> {
  if (current_password === undefined) return {}
  const db = c.get('db')
  const user = c.get('user')
  const attempt = loginAttempt(c, user.email ?? user.cpf ?? user.id)
  await limitLoginRate(c, 'login', attempt)
  const { matches } = await verifyPassword(current_password, user.password_hash)
  const retryAfter = matches ? await readLockout(db, attempt) : await recordFailedLogin(db, c.get('requestId'), attempt)
  if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  return matches ? {} : { current_password: ['A senha atual está incorreta.'] }
}

/** Changing one's own password, and resetting a forgotten one. */
export const authPassword = new Hono<EmailLinkEnv>()
  .put('/', requireLoginUser, jsonBody(), validBody(changeBody, checkCurrentPassword), async (c) => {
    const user = c.get('user')
    const passwordHash = await hashPassword(c.req.valid('json').password)
    if (!(await changePassword(c.get('db'), c.get('caller'), passwordHash, actorOf(c)))) throw errors.invalidToken()
    trustAddress(c, user.email ?? user.cpf ?? user.id)
    const changed = { ...user, token_version: c.get('caller').tokenVersion + 1 }
    return c.json({ success: true, data: await loginData(changed, c.get('settings')), message: CHANGED })
  })
  .post('/forgot', jsonBody(), validBody(emailBody), async (c) => {
    const { email } = c.req.valid('json')
    await limitLoginRate(c, 'password/forgot', loginAttempt(c, email))
    await enqueueEmail(c.get('db'), email, 'password_reset')
    const message = 'Se houver um cadastro com este email, uma mensagem com instruções será enviada.'
    return c.json({ success: true, message }, 202)
  })
  .post('/reset', jsonBody(), limitTokenRate, validBody(resetBody, checkLink('password_reset')), async (c) => {
    const link = c.get('link')
    const passwordHash = await hashPassword(c.req.valid('json').password)
    if (!(await resetPassword(c.get('db'), link, passwordHash))) throw invalidLink('password_reset')
    trustAddress(c, link.user.email, link.user.cpf)
    return c.json({ success: true, message: CHANGED })
  })
