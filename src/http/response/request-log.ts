import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { isCacheable } from './cacheable.ts'
import { RefusedError } from '#database/transactions.ts'
import type { AppEnv } from '#http/app-env.ts'
import { log, logVersion } from '#log.ts'

/**
 * Logs one line per request, with the route pattern instead of path and query. A cacheable response
 * has none: caches serve most of them without the Worker, and it carries no request id to look for.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  logVersion(c.env.VERSION)
  const started = Date.now()
  await next()
  if (isCacheable(c.res)) return

  const request_id = c.get('requestId')
  if (c.error instanceof RefusedError) {
    log('warn', { event: 'write refused, and nothing found in its way', request_id })
  }
  const route = routePath(c, -1)
  log('info', {
    request_id,
    method: c.req.method,
    route: route === '/*' ? null : route,
    status: c.res.status,
    duration_ms: Date.now() - started,
    round_trips: c.get('queryStats')?.roundTrips ?? 0,
  })
})
