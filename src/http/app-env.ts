import type { Context } from 'hono'
import type { Database } from '#database/client.ts'
import type { Settings } from '#settings.ts'

/** Variables every handler can use; middleware that adds more exports its own Env. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    requestId: string
    /** Resolves when the response is made. */
    responded: Promise<void>
    db: Database
    /** Counts of this request so far. */
    queryStats: { roundTrips: number }
  }
}

/** The part of a route's context that shared functions use. */
export type AppContext = Pick<Context<AppEnv>, 'get' | 'env' | 'req' | 'executionCtx'>
