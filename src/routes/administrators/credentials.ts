import type { Context } from 'hono'
import type * as z from 'zod/mini'
import type { updateAdministratorBody } from './schemas.ts'
import { findInvalidUserFields } from '#database/users/check.ts'
import { getUser, type UserRow } from '#database/users/user-row.ts'
import { guessablePasswordErrors } from '#http/authentication/chosen-passwords.ts'
import { findProofErrors } from '#http/authentication/proof.ts'
import type { LoginUserEnv } from '#http/authentication/reauthentication.ts'
import { messagesOf } from '#http/request/body-checks.ts'
import { uuidParam } from '#http/request/paths.ts'
import { PERSON_MESSAGES } from '#http/request/person-fields.ts'
import type { FieldErrors } from '#http/response/errors.ts'

const idOf = uuidParam('administrator')

type Fields = Partial<z.output<typeof updateAdministratorBody>>

// A password, and another email or CPF, open an account. So a change of them needs a proof
// (http/authentication/proof.ts), and a new administrator always does.

const IDENTIFIERS = ['email', 'cpf'] as const

/** Returns whether fields change an email or CPF that is stored, or that of nobody. */
export const changesIdentifier = (
  fields: Fields,
  current: Pick<UserRow, 'email' | 'cpf'> | null,
): boolean =>
  IDENTIFIERS.some(
    (name) => fields[name] !== undefined && fields[name] !== current?.[name],
  )

/** Returns the errors of a new administrator that the schema cannot find. */
export async function findNewErrors(
  fields: Fields,
  c: Context<LoginUserEnv>,
): Promise<FieldErrors> {
  const invalid = await findInvalidUserFields(c.get('db'), fields, null)
  return {
    ...messagesOf(invalid, PERSON_MESSAGES),
    ...(await guessablePasswordErrors(fields.password, fields)),
    ...(await findProofErrors(fields, c)),
  }
}

/** Returns those of a change, which needs a proof only if it changes a credential. */
export async function findErrors(
  fields: Fields,
  c: Context<LoginUserEnv>,
): Promise<FieldErrors> {
  const id = idOf(c)
  const proofErrors = await findProofErrors(fields, c)
  const isProven = Object.keys(proofErrors).length === 0
  const sent = await c.req.json<Record<string, unknown>>()
  const sentIdentifiers = IDENTIFIERS.filter((name) => sent[name] !== undefined)
  const isRead = fields.password != null || (!isProven && sentIdentifiers.length > 0)
  const current = isRead ? await getUser(c.get('db'), 'administrator', id) : null

  const needsProof =
    sent.password !== undefined ||
    sentIdentifiers.some((name) => fields[name] === undefined) || // invalid, so it differs
    changesIdentifier(fields, current)
  const invalid = await findInvalidUserFields(c.get('db'), fields, id)
  return {
    ...messagesOf(invalid, PERSON_MESSAGES),
    // by the name and email as they will be after the call
    ...(await guessablePasswordErrors(fields.password, { ...current, ...fields })),
    ...(needsProof && proofErrors),
  }
}
