import type { Context } from 'hono'
import * as z from 'zod/mini'
import { getEmailToken } from '../database/email-tokens.ts'
import type { EmailKind } from '../database/schema.ts'
import { hashToken } from '../security/hashes.ts'
import type { AppEnv } from './app-env.ts'
import { type FieldErrors, ValidationError } from './errors.ts'

const REQUIRED_MESSAGE = 'O campo token é obrigatório.'

/** The token of an emailed link: any text. The database decides whether it is valid. */
export const emailToken = z
  .string({ error: ({ input }) => (input == null ? REQUIRED_MESSAGE : 'O campo token deve ser um texto.') })
  .check(
    z.trim(),
    z.refine((text) => text !== '', REQUIRED_MESSAGE),
    z.meta({ minLength: 1 }),
  )

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
    const isBad = data !== undefined && !(await getEmailToken(c.get('db'), hashToken(data), kind))
    return isBad ? INVALID_LINK[kind] : {}
  }
