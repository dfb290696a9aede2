import type { Database } from '../database/client.ts'
import type { Caller } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import type { Cacheable } from './cache.ts'

/** Variables every handler can use; middleware that adds more exports its own Env. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    requestId: string
    /** The user of a valid token, on routes that authenticate. */
    caller?: Caller | null
    db: Database
    /** Of this request so far. */
    queryStats: { roundTrips: number }
    /** Set by `cachedJson` for a public response. */
    cacheable?: Cacheable
  }
}
