/** What statements run on: a D1 binding, or a session of it. */
export type Statements = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/** Something done around every round trip. */
export type Around = <Result>(trip: () => Promise<Result>) => Promise<Result>

/** The same binding or session, with something done around each of its round trips. */
export function aroundRoundTrips(statements: Statements, around: Around): Statements {
  const inner = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      run: () => around(() => statement.run()),
      all: () => around(() => statement.all()),
      raw: () => around(() => statement.raw()),
    } as D1PreparedStatement
    inner.set(wrapped, statement)
    return wrapped
  }
  return {
    prepare: (query) => wrap(statements.prepare(query)),
    batch: (batch) =>
      around(() => statements.batch(batch.map((statement) => inner.get(statement) ?? statement))),
  }
}
