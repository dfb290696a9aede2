import type { Context } from 'hono'
import * as z from 'zod/mini'
import { takeBackLater } from './counted-attempts.ts'
import {
  type LoginUserEnv,
  refuseCode,
  verifyOwnCode,
  verifyOwnPassword,
} from './reauthentication.ts'
import { consumeCode } from '#database/accounts/second-factors.ts'
import { actorOf } from '#http/guards.ts'
import { notEmpty, stringField } from '#http/request/fields.ts'
import { submittedPassword } from '#http/request/person-fields.ts'
import { fieldErrors } from '#http/request/validation.ts'
import { type FieldErrors, ValidationError } from '#http/response/errors.ts'

// What an administrator proves before making, opening or ending an account or a token, so that a
// stolen session alone does not (OWASP ASVS 5.0, 7.5.3): the current password and, if the second
// factor is enabled, a code.

export const currentPassword = submittedPassword('senha atual')

/** A code of the second factor. Spaces in it are ignored. */
export const codeText = stringField('código').check(
  z.overwrite((value) => value.replace(/\s/g, '')),
  z.describe('Os seis dígitos do segundo fator, se está ativo.'),
)

export const code = codeText.check(...notEmpty('código'))

/** The members of a body that always needs a proof. */
export const proofFields = {
  current_password: currentPassword,
  code: z.nullish(codeText),
}

const unchecked = (description: string) =>
  z.optional(z.unknown()).check(z.meta({ type: 'string', description }))

/** Those of a body that needs one depending on what is stored; if not, any value is accepted. */
export const optionalProofFields = {
  current_password: unchecked('A sua senha atual.'),
  code: unchecked('Os seis dígitos do seu segundo fator, se está ativo.'),
}

/** The body of a deletion that needs a proof. */
export const proofBody = z.object(proofFields)

const proofWithCodeBody = z.object({ current_password: currentPassword, code })

const parseProof = async (c: Context<LoginUserEnv>) => {
  const hasFactor = c.get('user').second_factor_enabled_at !== null
  return (hasFactor ? proofWithCodeBody : proofBody).safeParse(await c.req.json())
}

/** Returns the errors of a proof that is missing or of a wrong type. */
export async function findProofErrors(
  _fields: object,
  c: Context<LoginUserEnv>,
): Promise<FieldErrors> {
  const { error } = await parseProof(c)
  return error ? fieldErrors(error) : {}
}

/**
 * Verifies the proof in the body, and uses its code, whatever follows. The attempt does not count as
 * a failed login.
 * @throws {ValidationError} if it is missing, or wrong, which is counted
 * @throws {ApiError} 429; 401 if the session has ended
 */
export async function verifyProof(c: Context<LoginUserEnv>): Promise<void> {
  const { data, error } = await parseProof(c)
  if (error) throw new ValidationError(fieldErrors(error))

  const attempt = await verifyOwnPassword(c, data.current_password)
  const { db, user } = c.var
  if (user.second_factor_enabled_at) {
    const step = await verifyOwnCode(c, data.code ?? '', attempt)
    const isUsed = await consumeCode(db, user.id, step, actorOf(c))
    if (!isUsed) await refuseCode(c, attempt)
  }
  takeBackLater(c, attempt)
}
