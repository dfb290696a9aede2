import { type Context, Hono } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import { findToken, resetPassword } from '../database/email-tokens.ts'
import {
  type LoginAttempt,
  type LoginUser,
  readLockout,
  readLogin,
  recordFailure,
  rememberLogin,
} from '../database/logins.ts'
import { changePassword } from '../database/sessions.ts'
import { password } from '../domain/informer.ts'
import { presentedPassword } from '../domain/passwords.ts'
import { hashToken } from '../email/sending.ts'
import type { AppEnv } from '../http/app-env.ts'
import { afterResponse } from '../http/background.ts'
import { emailBody, requestEmail } from '../http/email-request.ts'
import { errors, type FieldErrors, ValidationError } from '../http/errors.ts'
import { linkErrors, linkToken } from '../http/link-token.ts'
import { type AuthEnv, actorOf, assertNotRevoked, requireToken } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitLoginRate, limitTokenRate } from '../http/rate-limits.ts'
import { hashPassword, verifyPassword } from '../security/passwords.ts'
import { startSession } from '../security/sessions.ts'

const CHANGED = 'Senha alterada com sucesso.'
const LINK_INVALID = 'O link de redefinição é inválido ou expirou.'
const WRONG_PASSWORD = 'A senha atual está incorreta.'

export const resetBody = z.object({ token: linkToken, password })
export const changeBody = z.object({
  current_password: presentedPassword('senha atual'),
  password,
})

/** A lost password (contract, section 9). */
const recovery = new Hono<AppEnv>()
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
    limitTokenRate('password/reset'),
    validBody(resetBody, linkErrors('password_reset', LINK_INVALID)),
    async (c) => {
      const { token, password } = c.req.valid('json')
      const db = c.get('db')
      const tokenHash = hashToken(token)
      const found = await findToken(db, tokenHash, 'password_reset')
      const use = found && { tokenHash, userId: found.userId, requestId: c.get('requestId') }
      if (!use || !(await resetPassword(db, use, await hashPassword(password))))
        throw new ValidationError({ token: [LINK_INVALID] })
      return c.json({ success: true, message: CHANGED })
    },
  )

type UserEnv = AuthEnv & { Variables: { user: LoginUser } }

/** As `requireUser`; its one round trip reads what a login needs, too. */
const requireLoginUser = every(
  requireToken,
  createMiddleware<UserEnv>(async (c, next) => {
    const user = await readLogin(c.get('db'), c.get('caller').id)
    assertNotRevoked(c.get('caller'), user && { role: user.role.slug, tokenVersion: user.token_version })
    if (user) c.set('user', user)
    await next()
  }),
)

/** Changing one's own password (contract, section 9). */
const change = new Hono<UserEnv>().put(
  '/',
  requireLoginUser,
  jsonBody(),
  validBody(changeBody, currentPasswordErrors),
  async (c) => {
    const { current_password, password } = c.req.valid('json')
    const { db, settings, user, caller } = c.var
    const { isCorrect, attempt } = await checkPassword(c, current_password)
    if (!isCorrect) throw new ValidationError({ current_password: [WRONG_PASSWORD] })
    const passwordHash = await hashPassword(password)
    const { isChanged, retryAfter } = await changePassword(db, caller, { passwordHash, attempt }, actorOf(c))
    if (!isChanged) throw retryAfter === null ? errors.invalidToken() : errors.tooManyRequests(retryAfter)
    afterResponse(c, () => rememberLogin(db, attempt), 'login not remembered')
    const data = await startSession({ ...user, token_version: caller.tokenVersion + 1 }, settings)
    return c.json({ success: true, data, message: CHANGED })
  },
)

/** The present password is judged also beside a new one that is bad in form, and its lockout then, too. */
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
  const { db, user, requestId } = c.var
  const attempt = await limitLoginRate(c, 'login', user.email ?? user.cpf ?? user.id)
  const { matches } = await verifyPassword(password, user.password_hash)
  if (!matches) {
    const retryAfter = await recordFailure(db, requestId, attempt)
    if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  }
  return { isCorrect: matches, attempt }
}

export const authPassword = new Hono().route('/', recovery).route('/', change)
