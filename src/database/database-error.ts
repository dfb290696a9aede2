/** D1's messages for transient failures (Cloudflare's "Debug D1"). An overload is not retried. */
const TRANSIENT = new RegExp(
  [
    'Network connection lost',
    'Replica disconnected from primary',
    'storage caused object to be reset',
    'reset because its code was updated',
    'Cannot resolve D1 DB due to transient issue',
  ].join('|'),
)

/** A failure of the database. D1's message names tables and columns but holds no values. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** Whether the database is unreachable, as opposed to a failed statement. */
  readonly isUnavailable: boolean
  /** Whether the same statement may succeed if it is run again. */
  readonly isTransient: boolean

  constructor(message: string) {
    super(message)
    // SQLite's errors end in its code; all others come from D1 itself.
    this.isUnavailable = !/SQLITE_(?!BUSY|LOCKED|IOERR)[A-Z]+/.test(message)
    this.isTransient = this.isUnavailable && TRANSIENT.test(message)
  }
}

/** The database error that an error is or wraps. Drizzle's own message holds bound parameters. */
export function findDatabaseError(error: Error): DatabaseError | null {
  return (
    [error, error.cause].find((candidate) => candidate instanceof DatabaseError) ?? null
  )
}
