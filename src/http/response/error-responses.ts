import type { Context, ErrorHandler } from 'hono'
import { ApiError, endedSession, errors, ValidationError } from './errors.ts'
import { findDatabaseError } from '#database/database-error.ts'
import { EndedSessionError, RefusedError } from '#database/transactions.ts'
import type { AppEnv } from '#http/app-env.ts'
import { describeError, log } from '#log.ts'

/** Responds with an error in the standard envelope. */
export function errorResponse(c: Pick<Context, 'json'>, error: ApiError): Response {
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
  if (error instanceof EndedSessionError) {
    return errorResponse(c, endedSession(c.get('caller')))
  }

  if (error instanceof RefusedError) {
    // request-log.ts logs it, unless `repeatable` explains it
    return errorResponse(c, errors.serviceUnavailable())
  }

  const isUnavailable = findDatabaseError(error)?.isUnavailable
  const event = isUnavailable ? 'database unavailable' : 'unexpected error'
  log('error', { event, request_id: c.get('requestId'), ...describeError(error) })
  return errorResponse(
    c,
    isUnavailable ? errors.serviceUnavailable() : errors.internalError(),
  )
}
