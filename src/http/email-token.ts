import type { Context } from 'hono'
import * as z from 'zod/mini'
import { getEmailToken } from '../database/email-tokens.ts'
import type { EmailKind } from '../database/schema.ts'
import { notEmpty, stringField } from '../domain/fields.ts'
import { digest } from '../security/hashes.ts'
import type { AppEnv } from './app-env.ts'
import { type FieldErrors, ValidationError } from './errors.ts'

/** The token of an emailed link: any text. The database decides whether it is valid. */
export const emailToken = stringField('token').check(z.trim(), ...notEmpty('token'))

const INVALID_LINK: Record<EmailKind, FieldErrors> = {
  verification: { token: ['O link de confirmação é inválido ou expirou.'] },
  password_reset: { token: ['O link de redefinição é inválido ou expirou.'] },
}

/** The error of a link whose token is unknown, used or expired. */
export const invalidLink = (kind: EmailKind) => new ValidationError(INVALID_LINK[kind])

/** The errors of a token, checked even if the password is invalid. */
export const emailTokenErrors =
  (kind: EmailKind) =>
  async ({ token }: Record<string, unknown>, c: Context<AppEnv>): Promise<FieldErrors> => {
    const { data } = emailToken.safeParse(token)
    const isBad = data !== undefined && !(await getEmailToken(c.get('db'), await digest(data), kind))
    return isBad ? INVALID_LINK[kind] : {}
  }
