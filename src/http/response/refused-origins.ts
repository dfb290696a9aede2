import type { Context } from 'hono'
import type { AppEnv } from '#http/app-env.ts'
import { log } from '#log.ts'
import { isOrigin } from '#settings.ts'

const MAX_LOGGED = 20

/** The origin that browsers send for pages without one, such as local files. */
const OPAQUE = 'null'

/**
 * Logs an origin that may be missing in CORS_ORIGINS once, and only a few origins, because anyone
 * can send some.
 */
export function refusedOriginLog() {
  const logged = new Set<string>()
  return (origin: string, c: Context<AppEnv>): void => {
    const isKnown = logged.has(origin) || logged.size === MAX_LOGGED
    if (isKnown || !(isOrigin(origin) || origin === OPAQUE)) return
    if (origin === URL.parse(c.req.url)?.origin) return
    logged.add(origin)
    const event = 'origin not in CORS_ORIGINS'
    log('warn', { event, request_id: c.get('requestId'), origin })
  }
}
