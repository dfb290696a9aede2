import type { ErrorHandler } from 'hono'
import { databaseFault } from '../database/faults.ts'
import { log } from '../logs.ts'
import { SettingsError } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { InvalidData, Refusal, refusals, refuse, refuseInvalid } from './refusals.ts'

/** Turns everything thrown into an answer. What is no refusal is a fault of ours: logged, and never told. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof InvalidData) return refuseInvalid(c, error.errors)
  if (error instanceof Refusal) return refuse(c, error)
  const fault = databaseFault(error)
  log('error', { request_id: c.get('requestId'), ...describe(error, fault?.message) })
  return refuse(c, fault?.isUnavailable ? refusals.unavailable() : refusals.fault())
}

/**
 * What a log may hold of an error: its kind and where it arose. A message only where it is known to name
 * no value: libraries put tokens and bound parameters into theirs.
 */
function describe(error: Error, databaseMessage: string | undefined) {
  const message = error instanceof SettingsError ? error.message : databaseMessage
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { error: error.name, message, stack: frames?.slice(0, 5).map((line) => line.trim()) }
}
