import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import type { AppEnv } from './app-env.ts'

/**
 * The headers that every answer has. Nothing is cacheable unless its handler said so, and an error never
 * is: a forgotten `no-store` would hand one person's answer to another. Only what is not cacheable carries
 * what belongs to its own request, because a cache would replay it: its id, the bookmark of the database, and
 * how long it took (`Server-Timing`, W3C).
 */
export const answerHeaders = createMiddleware<AppEnv>(async (c, next) => {
  const started = Date.now()
  c.set('requestId', crypto.randomUUID())
  await next()
  const policy = c.res.headers.get('Cache-Control') ?? 'no-store'
  if ((c.res.status === 200 || c.res.status === 304) && policy !== 'no-store') return
  c.res.headers.set('Cache-Control', 'no-store')
  c.res.headers.set('X-Request-Id', c.get('requestId'))
  const { roundTrips, milliseconds } = c.get('spent') ?? { roundTrips: 0, milliseconds: 0 }
  c.res.headers.set(
    'Server-Timing',
    `db;dur=${milliseconds};desc="${roundTrips} round trips", total;dur=${Date.now() - started}`,
  )
  // to nobody without a token: that it moves would tell an outsider that something was written
  const bookmark = c.get('caller') ? c.get('session')?.getBookmark() : null
  if (bookmark) c.res.headers.set('x-d1-bookmark', bookmark)
})

export const securityHeaders = secureHeaders()
