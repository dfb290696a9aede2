import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { changePassword, revokeTokens } from '../database/access-tokens.ts'
import {
  getLoginUserById,
  getUserForLogin,
  type LoginUser,
  readLockout,
  recordFailedLogin,
  replacePasswordHash,
} from '../database/logins.ts'
import { crossFieldRule } from '../domain/fields.ts'
import { password, submittedPassword } from '../domain/passwords.ts'
import type { AppEnv } from '../http/app-env.ts'
import { afterResponse } from '../http/background.ts'
import { errors, type FieldErrors } from '../http/errors.ts'
import { loginAttempt, loginData, trustAddress } from '../http/login.ts'
import {
  type AuthEnv,
  actorOf,
  assertNotRevoked,
  requireToken,
  requireUser,
} from '../http/middleware/auth.ts'
import { jsonBody, validBody } from '../http/middleware/validation.ts'
import { limitLoginRate } from '../http/rate-limits.ts'
import { hashPassword, verifyPassword } from '../security/passwords.ts'

const hasField = (field: 'email' | 'cpf') => ({
  type: 'object',
  properties: { [field]: { type: 'string', minLength: 1 } },
  required: [field],
})

export const loginBody = z
  .object({
    email: z.nullish(z.string('O campo email deve ser um texto.').check(z.trim(), z.toLowerCase())),
    cpf: z.nullish(z.string('O campo CPF deve ser um texto.')),
    password: submittedPassword('senha'),
  })
  .check(
    crossFieldRule(
      ['email', 'cpf'],
      ({ email, cpf }) => Boolean(email) || Boolean(cpf),
      'Informe o email ou o CPF.',
      'email',
    ),
    z.meta({ anyOf: [hasField('email'), hasField('cpf')] }),
  )

export const changeBody = z.object({ current_password: submittedPassword('senha atual'), password })

type UserEnv = AuthEnv & { Variables: { user: LoginUser } }

/** Like `requireUser`, but the same round trip also reads the login data. */
const requireLoginUser: MiddlewareHandler<UserEnv> = every(requireToken, async (c, next) => {
  const user = await getLoginUserById(c.get('db'), c.get('caller').id)
  assertNotRevoked(
    c.get('caller'),
    user && { role: user.role.slug, tokenVersion: user.token_version },
  )
  if (user) c.set('user', user)
  await next()
})

/** A wrong password counts as a failed login, and a right one is not told while the caller is locked out. */
async function checkCurrentPassword(
  sent: { current_password?: string },
  c: Context<UserEnv>,
): Promise<FieldErrors> {
  if (sent.current_password === undefined) return {}
  const { db, user, requestId } = c.var
  const attempt = loginAttempt(c, user.email ?? user.cpf ?? user.id)
  await limitLoginRate(c, 'login', attempt)
  const { matches } = await verifyPassword(sent.current_password, user.password_hash)
  const retryAfter = matches
    ? await readLockout(db, attempt)
    : await recordFailedLogin(db, requestId, attempt)
  if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
  return matches ? {} : { current_password: ['A senha atual está incorreta.'] }
}

/** Logging in, logging out on every device, and changing one's own password. */
export const auth = new Hono<AppEnv>()
  .post('/login', jsonBody(), validBody(loginBody), async (c) => {
    const { password, ...sent } = c.req.valid('json')
    const [email, cpf] = [sent.email ?? '', sent.cpf ?? '']
    const db = c.get('db')
    const attempt = loginAttempt(c, email || cpf)
    await limitLoginRate(c, 'login', attempt)

    const { user, retryAfter } = await getUserForLogin(db, email, cpf, attempt)
    if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)
    const { matches, needsRehash } = await verifyPassword(password, user?.password_hash ?? null)
    if (!user || !matches) {
      const retryAfter = await recordFailedLogin(db, c.get('requestId'), attempt)
      throw retryAfter === null ? errors.invalidCredentials() : errors.tooManyRequests(retryAfter)
    }
    const isVerificationPending = user.email_verification_required && !user.email_verified_at
    if (user.email && isVerificationPending) throw errors.emailNotVerified()
    trustAddress(c, email || cpf)
    if (needsRehash) {
      const rehash = async () => replacePasswordHash(db, user, await hashPassword(password))
      afterResponse(c, rehash, 'password hash not renewed')
    }
    return c.json({ success: true, data: await loginData(user, c.get('settings')) })
  })
  .post('/logout', requireUser, async (c) => {
    await revokeTokens(c.get('db'), c.get('caller'), actorOf(c))
    return c.json({ success: true, message: 'Sessão encerrada em todos os dispositivos.' })
  })
  .put(
    '/password',
    requireLoginUser,
    jsonBody(),
    validBody(changeBody, checkCurrentPassword),
    async (c) => {
      const { db, user, caller, settings } = c.var
      const passwordHash = await hashPassword(c.req.valid('json').password)
      if (!(await changePassword(db, caller, passwordHash, actorOf(c)))) throw errors.invalidToken()
      trustAddress(c, user.email ?? user.cpf ?? user.id)
      const data = await loginData({ ...user, token_version: caller.tokenVersion + 1 }, settings)
      return c.json({ success: true, data, message: 'Senha alterada com sucesso.' })
    },
  )
