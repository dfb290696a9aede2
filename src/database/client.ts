import { SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { drizzle } from 'drizzle-orm/d1'

/** A D1 binding or a session of it. */
type D1Client = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/** Wraps a round trip to the database. */
export type Interceptor = <Result>(query: () => Promise<Result>) => Promise<Result>

export type Database = ReturnType<typeof openDatabase>

/**
 * Opens the database: failures become `DatabaseError`s, and transient ones are retried. Makes no round trip.
 * @param stats counts the round trips, including retries
 */
export function openDatabase(client: D1Client, stats = { roundTrips: 0 }) {
  const attempt: Interceptor = (query) => {
    stats.roundTrips += 1
    return withDatabaseErrors(query)
  }
  const intercepted = interceptQueries(client, (query) => withRetries(() => attempt(query)))
  return drizzle(intercepted as D1Database) // Drizzle uses only `prepare` and `batch` of a binding
}

/** A statement of a batch: a query of Drizzle, or SQL. */
export type Statement = BatchItem<'sqlite'> | SQL

type ResultOf<S extends Statement> = S extends BatchItem<'sqlite'> ? S['_']['result'] : D1Result

/** Runs statements in order, as one transaction and one round trip, and returns the rows of each by its name. */
export async function batch<Statements extends Record<string, Statement>>(
  db: Database,
  statements: Statements,
): Promise<{ [Name in keyof Statements]: ResultOf<Statements[Name]> }> {
  const prepare = (query: SQL) => {
    const raw = db.run(query)
    return Object.assign(raw, { stmt: db.$client.prepare(raw.getQuery().sql) }) // drizzle-team/drizzle-orm#2277
  }
  const [first, ...others] = Object.values(statements).map((one) =>
    one instanceof SQL ? prepare(one) : one,
  )
  const results: unknown[] = first ? await db.batch([first, ...others]) : []
  return Object.fromEntries(
    Object.keys(statements).map((name, index) => [name, results[index]]),
  ) as Awaited<ReturnType<typeof batch<Statements>>>
}

/** Checks that the database responds. @throws {DatabaseError} if it does not */
export async function ping(db: Database): Promise<void> {
  await db.run(sql`select 1`)
}

/** Wraps each round trip of a client in an interceptor. */
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
      intercept(() =>
        client.batch(batch.map((statement) => originals.get(statement) ?? statement)),
      ),
  }
}

/** D1's messages for transient failures (Cloudflare's "Debug D1"). An overloaded database is not retried. */
const TRANSIENT =
  /Network connection lost|Replica disconnected from primary|storage caused object to be reset|reset because its code was updated|Cannot resolve D1 DB due to transient issue/

/** A failure of the database. D1's message names tables and columns but holds no values. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** Whether the database cannot be reached, as opposed to a failed statement. */
  readonly isUnavailable: boolean
  readonly isTransient: boolean
  /** Whether a unique index or a reference refused a row. */
  readonly isConstraintViolation: boolean
  constructor(message: string) {
    super(message)
    // SQLite's errors end in its code; all others come from D1 itself.
    this.isUnavailable = !/SQLITE_(?!BUSY|LOCKED|IOERR)[A-Z]+/.test(message)
    this.isTransient = this.isUnavailable && TRANSIENT.test(message)
    this.isConstraintViolation = message.includes('SQLITE_CONSTRAINT')
  }
}

/** The database error that an error is or wraps. Drizzle's own message holds bound parameters. */
export function findDatabaseError(error: Error): DatabaseError | null {
  return [error, error.cause].find((candidate) => candidate instanceof DatabaseError) ?? null
}

/** The result of a write; null if a unique index or a reference refused it, because another request was faster. */
export async function unlessRefused<Result>(write: Promise<Result>): Promise<Result | null> {
  try {
    return await write
  } catch (error) {
    if (error instanceof Error && findDatabaseError(error)?.isConstraintViolation) return null
    throw error
  }
}

const withDatabaseErrors: Interceptor = async (query) => {
  try {
    return await query()
  } catch (error) {
    throw new DatabaseError(error instanceof Error ? error.message : String(error))
  }
}

const MIN_DELAY_MS = 50
/** Maximum delays before the second and the third, last attempt. */
const MAX_DELAYS_MS = [400, 2000]
/** No attempt starts later: the client gets its 503 instead. */
const RETRY_BUDGET_MS = 5000

/**
 * Retries transient failures after a random delay (AWS Architecture Blog, "Exponential Backoff And Jitter").
 * The failed attempt may have been committed, so every write must be idempotent.
 * @throws {DatabaseError} of the last attempt
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
