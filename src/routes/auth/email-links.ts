import { type Context, Hono } from 'hono'
import { emailBody, resetPasswordBody, verifyEmailBody } from './schemas.ts'
import {
  getTokenUser,
  resetPassword,
  type TokenUse,
  verifyEmail,
} from '#database/accounts/used-links.ts'
import { insertLinkEmail } from '#database/emails/outbox.ts'
import type { LinkKind } from '#database/schema/emails.ts'
import type { AppEnv } from '#http/app-env.ts'
import { assertNotGuessable } from '#http/authentication/chosen-passwords.ts'
import { loginAttempt, trustAddressLater } from '#http/authentication/counted-attempts.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import { limitLoginRate, limitTokenRate } from '#http/authentication/rate-limits.ts'
import { requiredMessage } from '#http/request/fields.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { type FieldErrors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { digest } from '#security/hashes.ts'
import { hashPassword } from '#security/passwords.ts'

const INVALID_LINK: Record<LinkKind, FieldErrors> = {
  verification: { token: ['O link de confirmação é inválido ou expirou.'] },
  password_reset: { token: ['O link de redefinição é inválido ou expirou.'] },
}

/**
 * Looks at the token of a link last, when all that can be judged without it is valid.
 * @throws {ValidationError}
 * @throws {ApiError} 429
 */
async function openLink(
  c: Context<AppEnv>,
  kind: LinkKind,
  token: string,
): Promise<TokenUse> {
  await limitTokenRate(c)
  const tokenHash = await digest(token)
  const user = await getTokenUser(c.get('db'), tokenHash, kind)
  if (!user) throw new ValidationError(INVALID_LINK[kind])
  return { tokenHash, user, requestId: c.get('requestId') }
}

/** Enqueues an email with a link, within the rate limit of logins; each kind has its own count. */
async function requestEmail(
  c: Context<AppEnv>,
  kind: LinkKind,
  email: string,
): Promise<void> {
  await limitLoginRate(c, kind, loginAttempt(c, email))
  await insertLinkEmail(c.get('db'), email, kind)
}

/**
 * Verifying an email and resetting a forgotten password by emailed links, and requesting these
 * links.
 */
export const emailLinks = new Hono<AppEnv>()
  .post(
    '/email/verify',
    jsonBody(),
    limitHashing,
    validBody(verifyEmailBody),
    async (c) => {
      const { token, password } = c.req.valid('json')
      const link = await openLink(c, 'verification', token)
      const hasPassword = link.user.password_hash !== null
      if (hasPassword && password) {
        throw new ValidationError({ password: ['A senha já está definida.'] })
      }
      if (!hasPassword && !password) {
        throw new ValidationError({ password: [requiredMessage('senha')] })
      }
      await assertNotGuessable(password, link.user)

      const passwordHash = password ? await hashPassword(password) : null
      const isVerified = await verifyEmail(c.get('db'), link, passwordHash)
      if (!isVerified) throw new ValidationError(INVALID_LINK.verification)
      if (password) trustAddressLater(c, link.user, link.user.email, link.user.cpf)

      return reply<'POST /v1/auth/email/verify'>(c, {
        message: messages.emailVerified,
      })
    },
  )
  .post('/email/resend', jsonBody(), validBody(emailBody), async (c) => {
    await requestEmail(c, 'verification', c.req.valid('json').email)

    c.status(202)
    return reply<'POST /v1/auth/email/resend'>(c, {
      message: messages.verificationRequested,
    })
  })
  .post('/password/forgot', jsonBody(), validBody(emailBody), async (c) => {
    await requestEmail(c, 'password_reset', c.req.valid('json').email)

    c.status(202)
    return reply<'POST /v1/auth/password/forgot'>(c, {
      message: messages.passwordResetRequested,
    })
  })
  .post(
    '/password/reset',
    jsonBody(),
    limitHashing,
    validBody(resetPasswordBody),
    async (c) => {
      const { token, password } = c.req.valid('json')
      const link = await openLink(c, 'password_reset', token)
      await assertNotGuessable(password, link.user)

      const passwordHash = await hashPassword(password)
      const isReset = await resetPassword(c.get('db'), link, passwordHash)
      if (!isReset) throw new ValidationError(INVALID_LINK.password_reset)
      trustAddressLater(c, link.user, link.user.email, link.user.cpf)

      return reply<'POST /v1/auth/password/reset'>(c, {
        message: messages.passwordChanged,
      })
    },
  )
