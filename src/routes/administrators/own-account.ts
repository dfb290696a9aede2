import type { Context } from 'hono'
import type * as z from 'zod/mini'
import type { updateAdministratorBody } from './schemas.ts'
import { takeBackLater } from '#http/authentication/counted-attempts.ts'
import {
  type LoginUserEnv,
  verifyOwnPassword,
} from '#http/authentication/reauthentication.ts'
import type { FieldErrors } from '#http/response/errors.ts'
import { currentPassword } from '#routes/auth/schemas.ts'

// Administrators who change their own password, email or CPF give the current password (OWASP ASVS
// 5.0, 6.2.3 and 7.5.1).

type Fields = Partial<z.output<typeof updateAdministratorBody>>

/**
 * Returns the error of a current password that is needed but missing, or no text.
 * @param fields the valid ones
 */
export async function currentPasswordErrors(
  fields: Fields,
  c: Context<LoginUserEnv>,
): Promise<FieldErrors> {
  if (!(await needsCurrentPassword(fields, c))) return {}
  const { error } = currentPassword.safeParse(fields.current_password)
  return error ? { current_password: error.issues.map(({ message }) => message) } : {}
}

/**
 * Verifies the current password of a valid body that needs it. A right one does not count as a
 * failed login, whatever follows.
 * @throws {ValidationError} if it is wrong
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function verifyCurrentPasswordIfNeeded(
  fields: Fields,
  c: Context<LoginUserEnv>,
): Promise<void> {
  if (!(await needsCurrentPassword(fields, c))) return
  const password = currentPassword.parse(fields.current_password)
  takeBackLater(c, await verifyOwnPassword(c, password))
}

/** A field that is sent but invalid differs, too. */
async function needsCurrentPassword(
  fields: Fields,
  c: Context<LoginUserEnv>,
): Promise<boolean> {
  const sent = await c.req.json<Record<string, unknown>>()
  const user = c.get('user')
  const differs = (field: 'email' | 'cpf') =>
    sent[field] !== undefined && fields[field] !== user[field]
  return sent.password !== undefined || differs('email') || differs('cpf')
}
