import type { Database } from '../database/client.ts'
import type { Caller } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import type { CacheableResponse } from './middleware/response-cache.ts'

/** Variables every handler can use; middleware that adds more exports its own Env. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    requestId: string
    /** The user of a valid token, on routes that authenticate. */
    caller?: Caller | null
    session: D1DatabaseSession
    db: Database
    /** Of this request so far. */
    queryStats: { roundTrips: number }
    /** Sent by a client that needs reads at least as recent as its previous ones. */
    bookmark: string | null
    /** Set by `cachedJson`. */
    cacheable?: CacheableResponse
  }
}
