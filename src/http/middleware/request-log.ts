import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { log, logVersion } from '../../log.ts'
import type { AppEnv } from '../app-env.ts'

/** Logs one line per request, with the route pattern instead of path and query. */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  logVersion(c.env.VERSION)
  const started = Date.now()
  await next()
  const route = routePath(c, -1)
  log('info', {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: route === '/*' ? null : route,
    status: c.res.status,
    duration_ms: Date.now() - started,
    round_trips: c.get('queryStats')?.roundTrips ?? 0,
  })
})
