import { fillPlaceholders, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Database } from '#database/client.ts'

// All that depends on the inside of Drizzle. test/database/prepared.test.ts fails if it changes.

type Values = Record<string, string | null>

/** The placeholders of a query, by the names of its values. */
export type Placeholders<Given extends Values> = {
  [Name in keyof Given]: Placeholder<string, Given[Name]>
}

type Preparable<Row> = RunnableQuery<Row[], 'sqlite'> & {
  prepare(): { getQuery(): { sql: string; params: unknown[] } }
}

/** A prepared query with its values, to run alone or in a batch. */
type BoundQuery<Row> = RunnableQuery<Row[], 'sqlite'> & {
  all(): Promise<Row[]>
  get(): Promise<Row | undefined>
}

/**
 * Builds queries that outlive a request. It prepares no statements, because those belong to the
 * client of a request.
 */
const builder = drizzle({ prepare: () => undefined } as unknown as D1Database) as Database

const placeholders = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) })

/**
 * Prepares a query, like Drizzle's "Prepared statements". Its SQL is built once, on first use,
 * because building it takes longer than the rest of a read in the Worker.
 * @param build the query, with placeholders for its values
 * @returns binds the query to a database and values
 */
export function prepareQuery<Given extends Values, Row>(
  build: (db: Database, values: Placeholders<Given>) => Preparable<Row>,
): (db: Database, values: Given) => BoundQuery<Row> {
  let prepared: ReturnType<Preparable<Row>['prepare']> | undefined

  return (db, values) => {
    prepared ??= build(builder, placeholders as Placeholders<Given>).prepare()
    const { sql: text, params } = prepared.getQuery()

    // Drizzle's prepared query with a statement of this database's client
    const bound = Object.assign(Object.create(prepared), {
      stmt: db.$client.prepare(text),
      query: { sql: text, params: fillPlaceholders(params, values) },
      _prepare: () => bound, // which Drizzle calls in a batch
    })
    return bound
  }
}

/**
 * Prepares a statement that returns no rows, like a query.
 * @returns runs it on a database with values, in one round trip
 */
export function prepareStatement<Given extends Values>(
  build: (values: Placeholders<Given>) => SQL,
): (db: Database, values: Given) => Promise<unknown> {
  let prepared: { sql: string; params: unknown[] } | undefined

  return (db, values) => {
    prepared ??= builder.run(build(placeholders as Placeholders<Given>)).getQuery()
    const bound = fillPlaceholders(prepared.params, values)
    return db.$client
      .prepare(prepared.sql)
      .bind(...bound)
      .run()
  }
}

/** A statement of SQL in a batch: Drizzle prepares none (drizzle-team/drizzle-orm#2277). */
export function batchItem<Row>(
  db: Database,
  statement: SQL,
): RunnableQuery<Row[], 'sqlite'> {
  const query = db.all(statement).getQuery()
  return Object.assign(db.all<Row>(query.sql), {
    stmt: db.$client.prepare(query.sql),
    getQuery: () => query,
  })
}
