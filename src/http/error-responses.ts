import type { Context, ErrorHandler } from 'hono'
import { isActorMissing } from '../database/audit-events.ts'
import { findDatabaseError } from '../database/database-error.ts'
import { describeError, log } from '../log.ts'
import type { AppEnv } from './app-env.ts'
import { ApiError, endedSession, errors, ValidationError } from './errors.ts'

/** Responds with an error in the standard envelope. */
export function errorResponse(c: Context, error: ApiError): Response {
  return c.json({ success: false, message: error.message }, error.status, error.headers)
}

/**
 * Converts errors into responses. Unexpected errors are logged, and their messages are not
 * disclosed.
 */
export const onError: ErrorHandler<AppEnv> = (error, c: Context) => {
  if (error instanceof ValidationError) {
    const body = { message: 'Os dados fornecidos são inválidos.', errors: error.errors }
    return c.json(body, 422)
  }
  if (error instanceof ApiError) return errorResponse(c, error)
  if (isActorMissing(error)) return errorResponse(c, endedSession(c.get('caller')))

  log('error', { request_id: c.get('requestId'), ...describeError(error) })
  const isUnavailable = findDatabaseError(error)?.isUnavailable
  return errorResponse(
    c,
    isUnavailable ? errors.serviceUnavailable() : errors.internalError(),
  )
}
