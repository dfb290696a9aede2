/** Texts of D1 that mean: not now, perhaps in a moment (Cloudflare's list of D1 errors, and its limits). */
const PASSING = [
  'Network connection lost',
  'Replica disconnected from primary',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue',
  'D1 DB is overloaded',
  'exceeded timeout',
  'exceeded its memory limit',
  'exceeded its CPU time limit',
]

/**
 * What an error says of the database, or null where it did not come from there. Drizzle wraps D1's errors
 * in messages that hold the bound parameters; D1's own name tables and columns only.
 */
export function databaseFault(error: Error): { message: string; unavailable: boolean } | null {
  const source = [error, error.cause].find(
    (candidate): candidate is Error =>
      candidate instanceof Error && (isD1(candidate) || isPassing(candidate)),
  )
  return source ? { message: source.message, unavailable: isPassing(source) } : null
}

const isD1 = ({ message }: Error) => message.startsWith('D1_')

const isPassing = ({ message }: Error) => PASSING.some((text) => message.includes(text))
