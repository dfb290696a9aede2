import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { log } from '../logs.ts'
import type { AppEnv } from './app-env.ts'

/**
 * One line a request, by the pattern of its route instead of its path and query. An answer that is remembered
 * passes without one, as it does when the cache in front of the Worker gives it.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  const started = Date.now()
  await next()
  const route = routePath(c, -1)
  log('info', {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: route === '/*' ? null : route,
    status: c.res.status,
    duration_ms: Date.now() - started,
    round_trips: c.get('spent')?.roundTrips ?? 0,
  })
})
