import type { Context } from 'hono'
import * as z from 'zod/mini'
import { getTokenUser, type TokenUser } from '../database/email-tokens.ts'
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

/** The valid token of a link, its user and this request. */
export type EmailLink = { tokenHash: string; userId: string; requestId: string; user: TokenUser }

export type EmailLinkEnv = AppEnv & { Variables: { link: EmailLink } }

const INVALID_LINK: Record<EmailKind, FieldErrors> = {
  verification: { token: ['O link de confirmação é inválido ou expirou.'] },
  password_reset: { token: ['O link de redefinição é inválido ou expirou.'] },
}

/** The error of a link whose token is unknown, used or expired. */
export const invalidLink = (kind: EmailKind) => new ValidationError(INVALID_LINK[kind])

/**
 * Finds the errors of a token, for `validBody`; a valid one goes into `c.get('link')`.
 *
 * @param furtherErrors the errors of the other fields, for the user of a valid token
 */
export const checkLink =
  <Fields extends { token?: string }>(
    kind: EmailKind,
    furtherErrors?: (user: TokenUser, fields: Fields) => FieldErrors,
  ) =>
  async (fields: Fields, c: Context<EmailLinkEnv>): Promise<FieldErrors> => {
    if (fields.token === undefined) return {}
    const tokenHash = await digest(fields.token)
    const user = await getTokenUser(c.get('db'), tokenHash, kind)
    if (!user) return INVALID_LINK[kind]
    c.set('link', { tokenHash, userId: user.id, requestId: c.get('requestId'), user })
    return furtherErrors?.(user, fields) ?? {}
  }
