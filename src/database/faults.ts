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

/**
 * A D1 session, or the binding itself, that tells its failures from all other errors. Drizzle uses no more
 * of a database than this.
 */
export function withFaults(binding: Pick<D1DatabaseSession, 'prepare' | 'batch'>): D1Database {
  const inner = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      run: () => telling(() => statement.run()),
      all: () => telling(() => statement.all()),
      raw: () => telling(() => statement.raw()),
    } as D1PreparedStatement
    inner.set(wrapped, statement)
    return wrapped
  }
  return {
    prepare: (query: string) => wrap(binding.prepare(query)),
    batch: (statements: D1PreparedStatement[]) =>
      telling(() => binding.batch(statements.map((statement) => inner.get(statement) ?? statement))),
  } as D1Database
}

async function telling<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new DatabaseFault(error instanceof Error ? error.message : String(error))
  }
}
