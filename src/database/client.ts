import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'

/** What statements run on: a D1 binding, or a session of it. */
export type D1Client = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/** Something done around every round trip to the database. */
export type Interceptor = <Result>(query: () => Promise<Result>) => Promise<Result>

export type Database = ReturnType<typeof openDatabase>

/**
 * The database as every query uses it: failures are `DatabaseError`s, and transient ones are retried. It
 * costs nothing until a statement runs.
 *
 * @param intercept runs around each round trip, around each retry too
 */
export function openDatabase(client: D1Client, intercept: Interceptor = (query) => query()) {
  const intercepted = interceptQueries(client, (query) =>
    withRetries(() => intercept(() => withDatabaseErrors(query))),
  )
  return drizzle(intercepted as D1Database) // Drizzle uses no more of a binding than `prepare` and `batch`
}

/** Asks the database for nothing; throws where it does not respond. */
export async function ping(db: Database): Promise<void> {
  await db.run(sql`select 1`)
}

/** The same client, with an interceptor around each of its round trips. */
export function interceptQueries(client: D1Client, intercept: Interceptor): D1Client {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      run: () => intercept(() => statement.run()),
      all: () => intercept(() => statement.all()),
      raw: () => intercept(() => statement.raw()),
    } as D1PreparedStatement
    originals.set(wrapped, statement)
    return wrapped
  }
  return {
    prepare: (query) => wrap(client.prepare(query)),
    batch: (batch) =>
      intercept(() => client.batch(batch.map((statement) => originals.get(statement) ?? statement))),
  }
}

/**
 * Transient failures in D1's words (Cloudflare's "Debug D1"), worth a retry. A database that is overloaded
 * or over a limit is not: a retry would only add to its load.
 */
const TRANSIENT =
  /Network connection lost|Replica disconnected from primary|storage caused object to be reset|reset because its code was updated|Cannot resolve D1 DB due to transient issue/

/** A failure of the database. It holds D1's own text, which names tables and columns but no values. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** Whether it cannot be reached now, or whether our statement is wrong. */
  readonly isUnavailable: boolean
  readonly isTransient: boolean
  constructor(message: string) {
    super(message)
    // SQLite's own errors end in its code; everything else is D1 on the way to it.
    this.isUnavailable = !/SQLITE_(?!BUSY|LOCKED|IOERR)[A-Z]+/.test(message)
    this.isTransient = this.isUnavailable && TRANSIENT.test(message)
  }
}

/** The database error that an error is, or wraps: Drizzle's own message holds the bound parameters. */
export function findDatabaseError(error: Error): DatabaseError | null {
  return [error, error.cause].find((candidate) => candidate instanceof DatabaseError) ?? null
}

const withDatabaseErrors: Interceptor = async (query) => {
  try {
    return await query()
  } catch (error) {
    throw new DatabaseError(error instanceof Error ? error.message : String(error))
  }
}

const MIN_DELAY_MS = 50
/** The longest delay before the second attempt, and before the third, which is the last. */
const MAX_DELAYS_MS = [400, 2000]
/** No attempt begins after this: the client has waited long enough for a 503. */
const RETRY_BUDGET_MS = 5000

/**
 * Retries transient failures after a random delay (AWS Architecture Blog, "Exponential Backoff And Jitter").
 * The failed attempt may have taken effect, so every statement of ours does no harm when it is repeated.
 *
 * @throws {DatabaseError} the last one
 */
const withRetries: Interceptor = async (query) => {
  const deadline = Date.now() + RETRY_BUDGET_MS
  for (const maxDelay of MAX_DELAYS_MS) {
    try {
      return await query()
    } catch (error) {
      const delay = MIN_DELAY_MS + Math.random() * (maxDelay - MIN_DELAY_MS)
      const isRetryable = error instanceof DatabaseError && error.isTransient
      if (!isRetryable || Date.now() + delay > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }
  return query()
}
