import type { Database } from '../database/client.ts'
import type { Caller } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'
import type { Revision } from './cache-control.ts'

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
    /** A public response that `responseCache` may store. It is complete if it has the headers of its revision. */
    publicResponse?: { body: string; revision: Revision; isComplete: boolean }
  }
}
