import { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { Database } from './client.ts'
import { unlessRefused } from './database-error.ts'

/** A statement of a batch: a query of Drizzle, or SQL. */
export type Statement = BatchItem<'sqlite'> | SQL

/** A query of a batch, with the type of its rows. */
type Query = BatchItem<'sqlite'>

type Queries = Record<string, Query>

/** A query of rows of a type. */
export type RowQuery<Row> = Query & { _: { result: Row[] } }

type RowsOf<Named extends Queries> = { [Name in keyof Named]: Named[Name]['_']['result'] }

/** Reads by several queries in one round trip, and returns the rows of each by its name. */
export const readAll = <Named extends Queries>(db: Database, queries: Named) =>
  writeAndRead(db, [], queries)

/**
 * Runs writes in order, then queries, as one transaction and one round trip.
 * @returns the rows of each query by its name
 */
export async function writeAndRead<Named extends Queries>(
  db: Database,
  writes: Statement[],
  queries: Named,
): Promise<RowsOf<Named>> {
  const results = await runBatch(db, [...writes, ...Object.values(queries)])
  const names = Object.keys(queries)
  const named = names.map((name, index) => [name, results[writes.length + index]])
  return Object.fromEntries(named) as RowsOf<Named> // Drizzle types batches of literals alone
}

/**
 * Runs the writes of a creation, then the query of what is created. One transaction and, but for a
 * refusal, one round trip.
 * @returns its row; null if a unique index or a reference refused a write
 */
export async function createAndRead<Row>(
  db: Database,
  writes: Statement[],
  created: RowQuery<Row>,
): Promise<Row | null> {
  const written = await unlessRefused(writeAndRead(db, writes, { created }))
  // a retry is refused by what its first attempt has written, which the query finds
  const { created: rows } =
    written === 'refused' ? await readAll(db, { created }) : written
  return rows[0] ?? null
}

/**
 * Runs the writes of an update, then the query of what is updated. One transaction and one round
 * trip.
 * @returns its row, null if there is none; or 'refused' by a unique index or a reference
 */
export async function updateAndRead<Row>(
  db: Database,
  writes: Statement[],
  updated: RowQuery<Row>,
): Promise<Row | null | 'refused'> {
  const written = await unlessRefused(writeAndRead(db, writes, { updated }))
  return written === 'refused' ? 'refused' : (written.updated[0] ?? null)
}

/**
 * Runs the writes of a deletion, unless a reference refuses it. One transaction and one round trip.
 */
export async function deleteUnlessReferenced(
  db: Database,
  writes: Statement[],
): Promise<true | 'refused'> {
  const written = await unlessRefused(writeAll(db, writes))
  return written === 'refused' ? 'refused' : true
}

/** Runs writes in order, as one transaction and one round trip. */
export async function writeAll(db: Database, writes: Statement[]): Promise<void> {
  await runBatch(db, writes)
}

async function runBatch(db: Database, statements: Statement[]): Promise<unknown[]> {
  const [first, ...others] = statements.map((statement) =>
    statement instanceof SQL ? prepare(db, statement) : statement,
  )
  return first ? db.batch([first, ...others]) : []
}

/**
 * SQL as a statement of a batch, which Drizzle does not prepare (drizzle-team/drizzle-orm#2277).
 */
function prepare(db: Database, query: SQL): BatchItem<'sqlite'> {
  const raw = db.run(query)
  return Object.assign(raw, { stmt: db.$client.prepare(raw.getQuery().sql) })
}
