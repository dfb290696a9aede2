import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { enqueueEmail } from '../database/email-outbox.ts'
import { findToken, verifyEmail } from '../database/email-tokens.ts'
import { optional, requiredText } from '../domain/fields.ts'
import { email, PASSWORD_REQUIRED, password } from '../domain/informer.ts'
import { hashToken, sendDueEmails } from '../email/sending.ts'
import type { AppEnv } from '../http/app-env.ts'
import { inBackground } from '../http/background.ts'
import { type FieldErrors, ValidationError } from '../http/errors.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitLoginRate } from '../http/rate-limits.ts'
import { keyedHash } from '../security/keyed-hash.ts'
import { hashPassword } from '../security/passwords.ts'

const MAX_TOKEN = 200
const LINK_INVALID = 'O link de confirmação é inválido ou expirou.'

export const verifyBody = z.object({
  token: requiredText('token', MAX_TOKEN),
  password: optional(password),
})
export const resendBody = z.object({ email })

/** A token is judged by the database also beside a password that is bad in form. */
async function tokenErrors({ token }: Record<string, unknown>, c: Context<AppEnv>): Promise<FieldErrors> {
  const { data } = verifyBody.shape.token.safeParse(token)
  const isBad = data !== undefined && !(await findToken(c.get('db'), hashToken(data), 'verification'))
  return isBad ? { token: [LINK_INVALID] } : {}
}

/** Verifying the email of an informer (contract, section 7). */
export const authEmail = new Hono<AppEnv>()
  .post('/verify', jsonBody(), validBody(verifyBody, tokenErrors), async (c) => {
    const { token, password } = c.req.valid('json')
    const db = c.get('db')
    const found = await findToken(db, hashToken(token), 'verification')
    if (!found) throw new ValidationError({ token: [LINK_INVALID] })
    if (!found.hasPassword && password === null) throw new ValidationError({ password: [PASSWORD_REQUIRED] })
    if (found.hasPassword && password !== null)
      throw new ValidationError({ password: ['A senha já está definida.'] })
    const passwordHash = password === null ? null : await hashPassword(password)
    if (!(await verifyEmail(db, hashToken(token), crypto.randomUUID(), passwordHash)))
      throw new ValidationError({ token: [LINK_INVALID] })
    return c.json({ success: true, message: 'Email confirmado com sucesso.' })
  })
  .post('/resend', jsonBody(), validBody(resendBody), async (c) => {
    const { email } = c.req.valid('json')
    // counted apart from logins, which this must not use up
    await limitLoginRate(c, keyedHash(`resend ${email}`, c.get('settings')))
    await enqueueEmail(c.get('db'), email, 'verification')
    inBackground(c, sendDueEmails(c.get('db'), c.env, c.get('settings'), email), 'emails not sent')
    const message = 'Se houver um cadastro à espera de confirmação, um novo email será enviado.'
    return c.json({ success: true, message }, 202)
  })
