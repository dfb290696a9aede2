import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { log, logVersion } from '../../log.ts'
import type { AppEnv } from '../app-env.ts'
import { isCacheable } from './response-headers.ts'

/**
 * One line per request, with the route pattern instead of path and query. Cacheable responses
 * without a round trip are not logged, like those of the edge cache: the line would take most of
 * their time.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  logVersion(c.env.VERSION)
  const started = Date.now()
  await next()
  const roundTrips = c.get('queryStats')?.roundTrips ?? 0
  if (roundTrips === 0 && isCacheable(c.res)) return
  const route = routePath(c, -1)
  log('info', {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: route === '/*' ? null : route,
    status: c.res.status,
    duration_ms: Date.now() - started,
    round_trips: roundTrips,
  })
})
