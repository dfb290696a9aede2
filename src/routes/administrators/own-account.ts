import type { Context } from 'hono'
import type * as z from 'zod/mini'
import type { updateAdministratorBody } from './schemas.ts'
import { takeBackLater } from '#accounts/counted-attempts.ts'
import {
  type LoginUserEnv,
  verifyOwnPassword,
  WRONG_PASSWORD,
} from '#accounts/reauthentication.ts'
import type { FieldErrors } from '#http/response/errors.ts'
import { currentPassword } from '#routes/auth/schemas.ts'

type Fields = Partial<z.output<typeof updateAdministratorBody>>

/**
 * Returns the errors of the current password, which administrators need to change their own
 * password or email (OWASP ASVS 5.0, 6.2.3 and 7.5.1). A right one does not count as a failed
 * login, whatever follows.
 * @param fields the valid ones
 */
export async function ownAccountErrors(
  fields: Fields,
  c: Context<LoginUserEnv>,
): Promise<FieldErrors> {
  const sent = await c.req.json<Record<string, unknown>>()
  const changesEmail = sent.email !== undefined && fields.email !== c.get('user').email
  if (sent.password === undefined && !changesEmail) return {}

  const { data, error } = currentPassword.safeParse(fields.current_password)
  if (error) return { current_password: error.issues.map(({ message }) => message) }
  const { attempt, matches } = await verifyOwnPassword(c, data)
  if (!matches) return WRONG_PASSWORD
  takeBackLater(c, attempt)
  return {}
}
