import type { Around } from './round-trips.ts'

/**
 * What passes by itself, in D1's words (Cloudflare's "Debug D1"): worth another try. A database that is
 * overloaded or has run into a limit is not: another try would only add to its load.
 */
const TRANSIENT =
  /Network connection lost|Replica disconnected from primary|storage caused object to be reset|reset because its code was updated|Cannot resolve D1 DB due to transient issue/

/** A failure of the database. It holds D1's own text, which names tables and columns but no values. */
export class DatabaseFault extends Error {
  /** Whether it cannot be reached now, or whether our statement is wrong. */
  readonly isUnavailable: boolean
  readonly isTransient: boolean
  constructor(message: string) {
    super(message)
    // SQLite's own complaints end in its code; everything else is D1 on the way to it.
    this.isUnavailable = !/SQLITE_(?!BUSY|LOCKED|IOERR)[A-Z]+/.test(message)
    this.isTransient = this.isUnavailable && TRANSIENT.test(message)
  }
}

/** The failure of the database that an error is, or that it wraps: Drizzle's own text holds the parameters. */
export function databaseFault(error: Error): DatabaseFault | null {
  return [error, error.cause].find((candidate) => candidate instanceof DatabaseFault) ?? null
}

/** A round trip of which a failure is told from all other errors. */
export const tellingFaults: Around = async (trip) => {
  try {
    return await trip()
  } catch (error) {
    throw new DatabaseFault(error instanceof Error ? error.message : String(error))
  }
}
