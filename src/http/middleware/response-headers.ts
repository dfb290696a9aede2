import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../app-env.ts'

/**
 * Sets the per-request headers. Responses are `no-store` unless their handler made them cacheable, and errors always
 * are: a cache could serve one user's response to another. Only uncacheable responses carry a request id and a
 * bookmark, because a cache would repeat them.
 */
export const responseHeaders = createMiddleware<AppEnv>(async (c, next) => {
  c.set('requestId', crypto.randomUUID())
  await next()
  if (isCacheable(c.res)) return
  c.res.headers.set('Cache-Control', 'no-store')
  c.res.headers.set('X-Request-Id', c.get('requestId'))
  // only with a token: a changing bookmark would disclose writes to outsiders
  const bookmark = c.get('caller') ? c.get('session')?.getBookmark() : null
  if (bookmark) c.res.headers.set('x-d1-bookmark', bookmark)
})

export function isCacheable({ status, headers }: Response): boolean {
  const policy = headers.get('Cache-Control')
  return (status === 200 || status === 304) && policy !== null && policy !== 'no-store'
}
