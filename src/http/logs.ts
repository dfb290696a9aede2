import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv } from './app-env.ts'

/**
 * Writes one line of JSON. What is logged is chosen word by word: nothing that a client sent, and of an error
 * no message that could hold it.
 */
export function log(level: 'info' | 'warn' | 'error', fields: Record<string, unknown>): void {
  console[level](JSON.stringify({ level, ...fields }))
}

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
    round_trips: c.get('roundTrips') ?? 0,
  })
})
