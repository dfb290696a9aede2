import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../app-env.ts'

/**
 * The headers of a response that belong to its request. Nothing is cacheable unless its handler said so, and an
 * error never is: a missing `no-store` would give one person's response to another. Only what is not cacheable
 * carries an id and a bookmark of the database, because a cache would repeat them.
 */
export const responseHeaders = createMiddleware<AppEnv>(async (c, next) => {
  c.set('requestId', crypto.randomUUID())
  await next()
  if (isCacheable(c.res)) return
  c.res.headers.set('Cache-Control', 'no-store')
  c.res.headers.set('X-Request-Id', c.get('requestId'))
  // only with a token: a bookmark that moves would show an outsider that something was written
  const bookmark = c.get('caller') ? c.get('session')?.getBookmark() : null
  if (bookmark) c.res.headers.set('x-d1-bookmark', bookmark)
})

export function isCacheable({ status, headers }: Response): boolean {
  const policy = headers.get('Cache-Control')
  return (status === 200 || status === 304) && policy !== null && policy !== 'no-store'
}
