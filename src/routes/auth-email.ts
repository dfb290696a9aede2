import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { getEmailToken, verifyEmail } from '../database/email-tokens.ts'
import { optional, requiredMessage } from '../domain/fields.ts'
import { password } from '../domain/passwords.ts'
import type { AppEnv } from '../http/app-env.ts'
import { emailBody, requestEmail } from '../http/email-request.ts'
import { emailToken, emailTokenErrors, invalidLink } from '../http/email-token.ts'
import { ValidationError } from '../http/errors.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitEmailTokenRate, limitLoginRate } from '../http/rate-limits.ts'
import { digest } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'

export const verifyBody = z.object({ token: emailToken, password: optional(password) })

/** Verifying the email of an informer (contract, section 7). */
export const authEmail = new Hono<AppEnv>()
  .post(
    '/verify',
    jsonBody(),
    limitEmailTokenRate('email/verify'),
    validBody(verifyBody, emailTokenErrors('verification')),
    async (c) => {
      const { token, password } = c.req.valid('json')
      const db = c.get('db')
      const tokenHash = await digest(token)
      const found = await getEmailToken(db, tokenHash, 'verification')
      if (!found) throw invalidLink('verification')
      if (!found.hasPassword && password === null)
        throw new ValidationError({ password: [requiredMessage('senha')] })
      if (found.hasPassword && password !== null)
        throw new ValidationError({ password: ['A senha já está definida.'] })
      const use = { tokenHash, userId: found.userId, requestId: c.get('requestId') }
      const passwordHash = password === null ? null : await hashPassword(password)
      if (!(await verifyEmail(db, use, passwordHash))) throw invalidLink('verification')
      return c.json({ success: true, message: 'Email confirmado com sucesso.' })
    },
  )
  .post('/resend', jsonBody(), validBody(emailBody), async (c) => {
    const { email } = c.req.valid('json')
    await limitLoginRate(c, 'email/resend', email)
    await requestEmail(c, email, 'verification')
    const message = 'Se houver um cadastro à espera de confirmação, um novo email será enviado.'
    return c.json({ success: true, message }, 202)
  })
