import type { Database } from '../database/connection.ts'
import type { Caller } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'

/** What every handler finds on its context. A middleware that sets more says so in its own type. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    requestId: string
    /** Whoever sent a valid token, on the routes that look at it. */
    caller?: Caller | null
    session: D1DatabaseSession
    db: Database
    /** On the database, so far. */
    spent: { roundTrips: number; milliseconds: number }
    /** Of the client, who wants to see at least what it has seen before. */
    bookmark: string | null
    /** The key of a page that is everyone's and was answered, for `rememberedAnswers`. */
    publicPage?: string
  }
}
