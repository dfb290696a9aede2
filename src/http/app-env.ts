import type { Database } from '../database/client.ts'
import type { Caller } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import type { Representation } from './middleware/response-cache.ts'

/** What every handler finds on its context. A middleware that sets more says so in its own type. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    requestId: string
    /** The user of a valid token, on the routes that look at it. */
    caller?: Caller | null
    session: D1DatabaseSession
    db: Database
    /** Of this request, so far. */
    queryStats: { roundTrips: number }
    /** Sent by a client that wants to see at least what it has seen before. */
    bookmark: string | null
    /** A public response that `cachedResponses` may keep. */
    representation?: Representation
  }
}
