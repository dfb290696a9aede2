/** The service far from its database: delays each round trip, and each request before all of them. */
import service from './index.js'

function delayed(client, ms) {
  const originals = new WeakMap()
  const wrap = (statement) => {
    const run = (name) => async () => {
      await scheduler.wait(ms)
      return statement[name]()
    }
    const wrapped = {
      bind: (...values) => wrap(statement.bind(...values)),
      run: run('run'),
      all: run('all'),
      raw: run('raw'),
    }
    originals.set(wrapped, statement)
    return wrapped
  }
  return {
    prepare: (sql) => wrap(client.prepare(sql)),
    batch: async (statements) => {
      await scheduler.wait(ms)
      return client.batch(statements.map((one) => originals.get(one)))
    },
    withSession: (constraint) => delayed(client.withSession(constraint), ms),
  }
}

let distant

export default {
  async fetch(request, env, context) {
    distant ??= { ...env, DB: delayed(env.DB, Number(env.TRIP_MS)) }
    await scheduler.wait(Number(env.REQUEST_MS))
    return service.fetch(request, distant, context)
  },
}
