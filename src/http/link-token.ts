import type { Context } from 'hono'
import * as z from 'zod/mini'
import { getEmailToken } from '../database/email-tokens.ts'
import type { EmailKind } from '../database/schema.ts'
import { hashToken } from '../email/sending.ts'
import type { AppEnv } from './app-env.ts'
import type { FieldErrors } from './errors.ts'

const REQUIRED = 'O campo token é obrigatório.'

/** The token of a mailed link: any text may be one, until the database is read. */
export const linkToken = z
  .string({ error: ({ input }) => (input == null ? REQUIRED : 'O campo token deve ser um texto.') })
  .check(
    z.trim(),
    z.refine((text) => text !== '', REQUIRED),
    z.meta({ minLength: 1 }),
  )

/** The errors of a token, which is judged by the database also beside a password that is bad in form. */
export const linkErrors =
  (kind: EmailKind, message: string) =>
  async ({ token }: Record<string, unknown>, c: Context<AppEnv>): Promise<FieldErrors> => {
    const { data } = linkToken.safeParse(token)
    const isBad = data !== undefined && !(await getEmailToken(c.get('db'), hashToken(data), kind))
    return isBad ? { token: [message] } : {}
  }
