import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { revokeTokens } from '../database/access-tokens.ts'
import { getUserForLogin, recordFailedLogin, replacePasswordHash } from '../database/logins.ts'
import { crossFieldRule } from '../domain/fields.ts'
import { submittedPassword } from '../domain/passwords.ts'
import type { AppEnv } from '../http/app-env.ts'
import { afterResponse } from '../http/background.ts'
import { errors } from '../http/errors.ts'
import { loginAttempt, loginData, trustAddress } from '../http/login.ts'
import { actorOf, requireUser } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
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

/** Logging in, and logging out on every device. */
export const auth = new Hono<AppEnv>()
  .post('/login', jsonBody(), validBody(loginBody), async (c) => {
    const { email, cpf, password } = c.req.valid('json')
    const db = c.get('db')
    const attempt = loginAttempt(c, email || cpf || '')
    await limitLoginRate(c, 'login', attempt)

    const { user, retryAfter } = await getUserForLogin(db, { email, cpf }, attempt)
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
