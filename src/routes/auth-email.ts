import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { enqueueEmail } from '../database/email-outbox.ts'
import { verifyEmail } from '../database/email-tokens.ts'
import { requiredMessage } from '../domain/fields.ts'
import { password } from '../domain/passwords.ts'
import { checkLink, type EmailLinkEnv, emailBody, emailToken, invalidLink } from '../http/email-links.ts'
import { ValidationError } from '../http/errors.ts'
import { loginAttempt } from '../http/login.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitTokenRate, limitLoginRate } from '../http/rate-limits.ts'
import { hashPassword } from '../security/passwords.ts'

export const verifyBody = z.object({ token: emailToken, password: z.nullish(password) })

/** Verifying an email. */
export const authEmail = new Hono<EmailLinkEnv>()
  .post('/verify', jsonBody(), limitTokenRate, validBody(verifyBody, checkLink('verification')), async (c) => {
    const { password } = c.req.valid('json')
    const link = c.get('link')
    const hasPassword = link.user.password_hash !== null
    if (hasPassword === Boolean(password))
      throw new ValidationError({
        password: [hasPassword ? 'A senha já está definida.' : requiredMessage('senha')],
      })
    const passwordHash = password ? await hashPassword(password) : null
    if (!(await verifyEmail(c.get('db'), link, passwordHash))) throw invalidLink('verification')
    return c.json({ success: true, message: 'Email confirmado com sucesso.' })
  })
  .post('/resend', jsonBody(), validBody(emailBody), async (c) => {
    const { email } = c.req.valid('json')
    await limitLoginRate(c, 'email/resend', loginAttempt(c, email))
    await enqueueEmail(c.get('db'), email, 'verification')
    const message = 'Se houver um cadastro à espera de confirmação, um novo email será enviado.'
    return c.json({ success: true, message }, 202)
  })
