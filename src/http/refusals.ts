import type { Context } from 'hono'
import { log } from '../log.ts'
import { errors, type FieldErrors, ValidationError } from './errors.ts'

/**
 * The errors that only the database can find, in the valid fields of a body. It stands behind the
 * guard and the schema of its route.
 */
export type BodyCheck<Body> = (
  fields: Partial<Body>,
  // oxlint-disable-next-line no-explicit-any -- each route has its own Env
  c: Context<any>,
) => Promise<FieldErrors>

/** The messages of some fields. */
export const messagesOf = <Field extends string>(
  fields: Field[],
  messages: Record<Field, string>,
): FieldErrors => Object.fromEntries(fields.map((field) => [field, [messages[field]]]))

/**
 * The error of a write that the database refused although its body had passed the check: another
 * request was faster. A second check tells why; if what was in the way is gone again, that is logged.
 */
export function refusal(c: Context, found: FieldErrors): Error {
  if (Object.keys(found).length > 0) return new ValidationError(found)

  const request_id = c.get('requestId')
  log('error', { event: 'write refused, and nothing found in its way', request_id })
  return errors.serviceUnavailable()
}
