import { SettingsError } from './settings.ts'
import { DatabaseError, findDatabaseError } from '#database/database-error.ts'

/** `npm run dev` builds with it. A deployment does not: messages may hold personal data. */
declare const SHOW_MESSAGES: true | undefined

const MAX_FRAMES = 5

/**
 * The error codes of `EMAIL.send`: developers.cloudflare.com/email-service/api/send-emails/workers-api
 */
const CODE = /^E_[A-Z_]+$/

/** Writes one line of JSON. Never pass client input. */
export function log(
  level: 'info' | 'warn' | 'error',
  fields: Record<string, unknown>,
): void {
  console[level](JSON.stringify({ level, ...fields }))
}

const started = new WeakSet<WorkerVersionMetadata>()

/** Writes one line for each isolate, with the version that it runs. */
export function logVersion(binding: WorkerVersionMetadata): void {
  if (started.has(binding)) return
  started.add(binding)
  log('info', { event: 'version started', version: binding.id, tag: binding.tag })
}

/**
 * The loggable parts of an error: name, code and stack frames. The message only if it is known to
 * hold no values: those of libraries contain tokens and bound parameters, and the stack repeats
 * them.
 */
export function describeError(thrown: unknown) {
  if (!(thrown instanceof Error)) return { error: typeof thrown }
  const error: Error & { code?: string } = findDatabaseError(thrown) ?? thrown
  const { name, message, code = '', stack = '' } = error
  const isShown =
    typeof SHOW_MESSAGES === 'boolean' ||
    error instanceof DatabaseError ||
    error instanceof SettingsError
  // a message may contain lines like frames
  const frames = stack.replace(message, '').match(/^ {4}at .+$/gm)
  return {
    error: name,
    code: CODE.exec(code)?.[0],
    message: isShown ? message : undefined,
    stack: frames?.slice(0, MAX_FRAMES).map((frame) => frame.trim()),
  }
}
