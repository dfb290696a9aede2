import type { Context, ErrorHandler } from 'hono'
import { ApiError, endedSession, errors, ValidationError } from './errors.ts'
import { findDatabaseError } from '#database/database-error.ts'
import { EndedSessionError, RefusedError } from '#database/transactions.ts'
import type { AppEnv } from '#http/app-env.ts'
import { describeError, log } from '#log.ts'

/** Responds with an error in the standard envelope. */
export function errorResponse(c: Context, error: ApiError): Response {
  return c.json({ success: false, message: error.message }, error.status, error.headers)
}

/** Logs a write that the database refused without a reason that can be found. */
export function logRefusedWrite(c: Context): void {
  const request_id = c.get('requestId')
  log('warn', { event: 'write refused, and nothing found in its way', request_id })
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
  if (error instanceof EndedSessionError) {
    return errorResponse(c, endedSession(c.get('caller')))
  }

  const request_id = c.get('requestId')
  if (error instanceof RefusedError) {
    if (!c.get('idempotencyKey')) logRefusedWrite(c) // otherwise `repeatable` looks again
    return errorResponse(c, errors.serviceUnavailable())
  }

  log('error', { request_id, ...describeError(error) })
  const isUnavailable = findDatabaseError(error)?.isUnavailable
  return errorResponse(
    c,
    isUnavailable ? errors.serviceUnavailable() : errors.internalError(),
  )
}
