import type { ErrorHandler } from 'hono'
import { findDatabaseError } from '../database/client.ts'
import { describeError, log } from '../log.ts'
import type { AppEnv } from './app-env.ts'
import { ApiError, errorResponse, errors, ValidationError, validationErrorResponse } from './errors.ts'

/** Converts errors into responses. Unexpected errors are logged, and their messages are not disclosed. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof ValidationError) return validationErrorResponse(c, error.errors)
  if (error instanceof ApiError) return errorResponse(c, error)
  log('error', { request_id: c.get('requestId'), ...describeError(error) })
  const isUnavailable = findDatabaseError(error)?.isUnavailable
  return errorResponse(c, isUnavailable ? errors.serviceUnavailable() : errors.internalError())
}
