import { SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { type Actor, type CallingActor, isCallerCurrent } from './actor.ts'
import type { Database } from './client.ts'
import { findDatabaseError } from './database-error.ts'
import { transactions } from '#database/schema/transactions.ts'
import { batchItem } from '#database/sql/prepared.ts'

// A D1 batch is a transaction. If the connection is lost, it may or may not have been committed, so
// it is run again (database/retries.ts). Only this file handles that: the first statement inserts
// an id, and a repetition of a committed transaction fails on it.

/** How long a committed transaction is remembered; retries take seconds. */
export const REPEATABLE_MINUTES = 60

/** A statement of a transaction: a query of Drizzle, or SQL. */
export type Statement = BatchItem<'sqlite'> | SQL

type Query = BatchItem<'sqlite'>

type Queries = Record<string, Query>

/** A query of rows of a type. */
export type RowQuery<Row> = RunnableQuery<Row[], 'sqlite'>

type RowsOf<Reads extends Queries> = { [Name in keyof Reads]: Reads[Name]['_']['result'] }

type Transaction<Reads extends Queries> = {
  /** The author of the write, whose session must be current. */
  actor?: Actor
  writes: Statement[]
  /** Queries that run after the writes, by name. */
  reads?: Reads
}

/** The caller's session ended, or their token expired, before the statements ran. */
export class EndedSessionError extends Error {}

/** A unique index or a reference refused a write. The message names it, without values. */
export class RefusedError extends Error {}

class FailedPreconditionError extends Error {}

/**
 * Runs writes, then reads, as one transaction and one round trip.
 * @returns the rows of each read by its name
 * @throws {EndedSessionError}
 * @throws {RefusedError}
 */
export function runTransaction<Reads extends Queries = Record<never, never>>(
  db: Database,
  transaction: Transaction<Reads>,
): Promise<RowsOf<Reads>> {
  return run(db, undefined, transaction)
}

/**
 * Runs a transaction if a condition holds before its writes.
 * @returns the rows of each read by its name; null if the condition does not hold
 * @throws {EndedSessionError}
 * @throws {RefusedError}
 */
export async function runTransactionIf<Reads extends Queries = Record<never, never>>(
  db: Database,
  precondition: SQL,
  transaction: Transaction<Reads>,
): Promise<RowsOf<Reads> | null> {
  try {
    return await run(db, precondition, transaction)
  } catch (error) {
    if (error instanceof FailedPreconditionError) return null
    throw error
  }
}

/**
 * Reads by several queries in one round trip, and returns the rows of each by its name.
 * @param actor whose session must be current; without one, nothing is checked
 * @throws {EndedSessionError}
 */
export async function readAll<Reads extends Queries>(
  db: Database,
  reads: Reads,
  actor?: Actor,
): Promise<RowsOf<Reads>> {
  const checks = checkActor(actor)
  const results = await runBatch(db, [...checks, ...Object.values(reads)])
  return rowsOf(reads, results.slice(checks.length))
}

/**
 * Reads one row, or null, in one round trip.
 * @param actor as in `readAll`
 * @throws {EndedSessionError}
 */
export async function readRow<Row>(
  db: Database,
  query: RowQuery<Row>,
  actor?: Actor,
): Promise<Row | null> {
  const { rows } = await readAll(db, { rows: query }, actor)
  return rows[0] ?? null
}

async function run<Reads extends Queries>(
  db: Database,
  precondition: SQL | undefined,
  { actor, writes, reads }: Transaction<Reads>,
): Promise<RowsOf<Reads>> {
  const queries = reads ?? ({} as Reads) // which are none by their default type
  const statements = [...beginTransaction(precondition, actor), ...writes]
  try {
    const results = await runBatch(db, [...statements, ...Object.values(queries)])
    return rowsOf(queries, results.slice(statements.length))
  } catch (error) {
    const message = messageOf(error)
    if (message.includes(COMMITTED)) return readAll(db, queries)
    if (message.includes(PRECONDITION_FAILED)) throw new FailedPreconditionError()
    if (REFUSED.test(message)) throw new RefusedError(message)
    throw error
  }
}

const COMMITTED = 'UNIQUE constraint failed: transactions.id'
const SESSION_ENDED = 'CHECK constraint failed: caller_is_current'
const PRECONDITION_FAILED = 'CHECK constraint failed: precondition_holds'
const REFUSED = /\b(UNIQUE|FOREIGN KEY) constraint failed/

const insertId = (): SQL =>
  sql`insert into ${transactions} (id) values (${crypto.randomUUID()})`

// A check inserts a row that a constraint refuses unless its condition holds.

const checkCaller = (actor: CallingActor): SQL => sql`
  insert into ${transactions} (id, caller_is_current)
  select '', false where not ${isCallerCurrent(actor)}`

const checkActor = (actor: Actor | undefined): Statement[] =>
  actor && 'caller' in actor ? [checkCaller(actor)] : []

const checkPrecondition = (precondition: SQL): SQL => sql`
  insert into ${transactions} (id, precondition_holds)
  select '', false where (${precondition}) is not true`

/** Builds the statements that fail in a repetition, or if a condition does not hold. */
const beginTransaction = (
  precondition: SQL | undefined,
  actor: Actor | undefined,
): Statement[] => [
  insertId(),
  ...checkActor(actor),
  ...(precondition ? [checkPrecondition(precondition)] : []),
]

function rowsOf<Reads extends Queries>(reads: Reads, results: unknown[]): RowsOf<Reads> {
  const names = Object.keys(reads)
  const rows = names.map((name, index) => [name, results[index]])
  return Object.fromEntries(rows) as RowsOf<Reads> // Drizzle types batches of literals alone
}

async function runBatch(db: Database, statements: Statement[]): Promise<unknown[]> {
  const [first, ...others] = statements.map((statement) =>
    statement instanceof SQL ? batchItem(db, statement) : statement,
  )
  if (!first) return []
  try {
    return await db.batch([first, ...others])
  } catch (error) {
    throw messageOf(error).includes(SESSION_ENDED) ? new EndedSessionError() : error
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error && findDatabaseError(error)?.message) || ''
