import type { Around } from './round-trips.ts'

/** A failure of the database. It holds D1's own text, which names tables and columns but no values. */
export class DatabaseFault extends Error {
  /** Whether it cannot be reached now, or whether our statement is wrong. */
  readonly isUnavailable: boolean
  constructor(message: string) {
    super(message)
    // SQLite's own complaints end in its code; everything else is D1 on the way to it.
    this.isUnavailable = !/SQLITE_(?!BUSY|LOCKED|IOERR)[A-Z]+/.test(message)
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
