import type { Database } from '../database/connection.ts'
import type { Settings } from '../settings.ts'

/** What every handler finds on its context. A middleware that sets more says so in its own type. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    db: Database
    requestId: string
  }
}
