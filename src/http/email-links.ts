import type { Context } from 'hono'
import * as z from 'zod/mini'
import { getTokenUser, type TokenUse } from '../database/email-tokens.ts'
import type { EmailKind } from '../database/schema.ts'
import { notEmpty, stringField } from '../domain/fields.ts'
import { email } from '../domain/informer.ts'
import { digest } from '../security/hashes.ts'
import type { AppEnv } from './app-env.ts'
import { type FieldErrors, ValidationError } from './errors.ts'

/** The body of a request for an emailed link. */
export const emailBody = z.object({ email })

/** The token of an emailed link: any text. The database decides whether it is valid. */
export const emailToken = stringField('token').check(z.trim(), ...notEmpty('token'))

/** With the valid token of a link. */
export type EmailLinkEnv = AppEnv & { Variables: { link: TokenUse } }

const INVALID_LINK: Record<EmailKind, FieldErrors> = {
  verification: { token: ['O link de confirmação é inválido ou expirou.'] },
  password_reset: { token: ['O link de redefinição é inválido ou expirou.'] },
}

/** The error of a link whose token is unknown, used or expired. */
export const invalidLink = (kind: EmailKind) => new ValidationError(INVALID_LINK[kind])

/** Finds the errors of a token, for `validBody`; a valid one goes into `c.get('link')`. */
export const checkLink =
  (kind: EmailKind) =>
  async ({ token }: { token?: string }, c: Context<EmailLinkEnv>): Promise<FieldErrors> => {
    if (token === undefined) return {}
    const tokenHash = await digest(token)
    const user = await getTokenUser(c.get('db'), tokenHash, kind)
    if (!user) return INVALID_LINK[kind]
    c.set('link', { tokenHash, user, requestId: c.get('requestId') })
    return {}
  }
