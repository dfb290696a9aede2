import type { Context } from 'hono'
import { log } from '../log.ts'
import type { AppContext, AppEnv } from './app-env.ts'
import { errors, type FieldErrors, ValidationError } from './errors.ts'
import type { CallerEnv } from './middleware/auth.ts'

/**
 * The errors that only the database can find, in the valid fields of a body. It runs after the
 * guard and the schema of its route.
 */
export type BodyCheck<Body, RouteEnv extends AppEnv = CallerEnv> = (
  fields: Partial<Body>,
  c: Context<RouteEnv>,
) => Promise<FieldErrors>

/** The messages of some fields. */
export const messagesOf = <Field extends string>(
  fields: Field[],
  messages: Record<Field, string>,
): FieldErrors => Object.fromEntries(fields.map((field) => [field, [messages[field]]]))

/**
 * The error of a write that the database refused although its body had passed the check: another
 * request was faster. A second check finds out why; if the obstacle is gone by then, that is
 * logged.
 */
export function refusal(c: AppContext, found: FieldErrors): Error {
  if (Object.keys(found).length > 0) return new ValidationError(found)

  const request_id = c.get('requestId')
  log('error', { event: 'write refused, and nothing found in its way', request_id })
  return errors.serviceUnavailable()
}
