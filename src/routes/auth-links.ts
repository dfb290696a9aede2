import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { enqueueEmail } from '../database/email-outbox.ts'
import {
  getTokenUser,
  resetPassword,
  type TokenUse,
  verifyEmail,
} from '../database/email-tokens.ts'
import type { EmailKind } from '../database/schema.ts'
import { notEmpty, requiredMessage, stringField } from '../domain/fields.ts'
import { email } from '../domain/informer.ts'
import { password } from '../domain/passwords.ts'
import type { AppEnv } from '../http/app-env.ts'
import { type FieldErrors, ValidationError } from '../http/errors.ts'
import { loginAttempt, trustAddress } from '../http/login.ts'
import { jsonBody, validBody } from '../http/middleware/validation.ts'
import { limitLoginRate, limitTokenRate } from '../http/rate-limits.ts'
import { digest } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'

/** The token of an emailed link: any text. The database decides whether it is valid. */
const token = stringField('token').check(z.trim(), ...notEmpty('token'))

export const emailBody = z.object({ email })
export const verifyBody = z.object({ token, password: z.nullish(password) })
export const resetBody = z.object({ token, password })

type LinkEnv = AppEnv & { Variables: { link: TokenUse } }

const INVALID_LINK: Record<EmailKind, FieldErrors> = {
  verification: { token: ['O link de confirmação é inválido ou expirou.'] },
  password_reset: { token: ['O link de redefinição é inválido ou expirou.'] },
}

/** Finds the errors of a token, for `validBody`; a valid one goes into `c.get('link')`. */
const checkLink =
  (kind: EmailKind) =>
  async ({ token }: { token?: string }, c: Context<LinkEnv>): Promise<FieldErrors> => {
    if (token === undefined) return {}
    const tokenHash = await digest(token)
    const user = await getTokenUser(c.get('db'), tokenHash, kind)
    if (!user) return INVALID_LINK[kind]
    c.set('link', { tokenHash, user, requestId: c.get('requestId') })
    return {}
  }

/** Enqueues an email with a link, up to the rate limit of login; each kind is counted apart. */
async function requestEmail(c: Context<LinkEnv>, kind: EmailKind, email: string): Promise<void> {
  await limitLoginRate(c, kind, loginAttempt(c, email))
  await enqueueEmail(c.get('db'), email, kind)
}

/** Verifying an email and resetting a forgotten password by emailed links, and asking for these. */
export const authLinks = new Hono<LinkEnv>()
  .post(
    '/email/verify',
    jsonBody(),
    limitTokenRate,
    validBody(verifyBody, checkLink('verification')),
    async (c) => {
      const { password } = c.req.valid('json')
      const link = c.get('link')
      const hasPassword = link.user.password_hash !== null
      if (hasPassword === Boolean(password))
        throw new ValidationError({
          password: [hasPassword ? 'A senha já está definida.' : requiredMessage('senha')],
        })
      const passwordHash = password ? await hashPassword(password) : null
      if (!(await verifyEmail(c.get('db'), link, passwordHash)))
        throw new ValidationError(INVALID_LINK.verification)
      return c.json({ success: true, message: 'Email confirmado com sucesso.' })
    },
  )
  .post('/email/resend', jsonBody(), validBody(emailBody), async (c) => {
    await requestEmail(c, 'verification', c.req.valid('json').email)
    const message = 'Se houver um cadastro à espera de confirmação, um novo email será enviado.'
    return c.json({ success: true, message }, 202)
  })
  .post('/password/forgot', jsonBody(), validBody(emailBody), async (c) => {
    await requestEmail(c, 'password_reset', c.req.valid('json').email)
    const message =
      'Se houver um cadastro com este email, uma mensagem com instruções será enviada.'
    return c.json({ success: true, message }, 202)
  })
  .post(
    '/password/reset',
    jsonBody(),
    limitTokenRate,
    validBody(resetBody, checkLink('password_reset')),
    async (c) => {
      const link = c.get('link')
      const passwordHash = await hashPassword(c.req.valid('json').password)
      if (!(await resetPassword(c.get('db'), link, passwordHash)))
        throw new ValidationError(INVALID_LINK.password_reset)
      trustAddress(c, link.user.email, link.user.cpf)
      return c.json({ success: true, message: 'Senha alterada com sucesso.' })
    },
  )
