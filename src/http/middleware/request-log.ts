import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { log } from '../../log.ts'
import type { AppEnv } from '../app-env.ts'
import { isCacheable } from './response-headers.ts'

/**
 * One line a request, by the pattern of its route instead of its path and query. A cacheable response that took no
 * round trip has none, like one of the cache in front of the Worker: the line would cost most of its time.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
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
