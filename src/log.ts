import { DatabaseError, findDatabaseError } from './database/client.ts'
import { SettingsError } from './settings.ts'

const MAX_FRAMES = 5

/** Writes one line of JSON. Nothing that a client sent is ever logged, so every field is chosen one by one. */
export function log(level: 'info' | 'warn' | 'error', fields: Record<string, unknown>): void {
  console[level](JSON.stringify({ level, ...fields }))
}

/**
 * What may be logged of an error: its kind and where it arose. Its message only where it is known to hold no
 * value: libraries put tokens and bound parameters into theirs, and the stack repeats them.
 */
export function describeError(thrown: unknown) {
  if (!(thrown instanceof Error)) return { error: typeof thrown }
  const error = findDatabaseError(thrown) ?? thrown
  const { name, message, stack = '' } = error
  const isSafe = error instanceof DatabaseError || error instanceof SettingsError
  const frames = stack.replace(message, '').match(/^ {4}at .+$/gm) // a message may hold lines like a frame
  return {
    error: name,
    message: isSafe ? message : undefined,
    stack: frames?.slice(0, MAX_FRAMES).map((frame) => frame.trim()),
  }
}
