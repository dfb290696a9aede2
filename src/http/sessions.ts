import { createMiddleware } from 'hono/factory'
import { openDatabase } from '../database/connection.ts'
import type { AppEnv } from './app-env.ts'
import { publicPagesOf } from './public-pages.ts'

const BOOKMARK = /^[0-9a-f-]{1,128}$/

/**
 * Opens the D1 session of a request (D1 read replication). Reads may be answered by the nearest replica, but
 * none that is behind the client's `x-d1-bookmark` or this isolate's own last write; writes, and logins with
 * them, begin at the primary. A malformed bookmark is ignored.
 */
export const databaseSession = createMiddleware<AppEnv>(async (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const sent = c.req.header('x-d1-bookmark') ?? ''
  const bookmark = BOOKMARK.test(sent) ? sent : null
  const constraint = isRead
    ? (bookmark ?? publicPagesOf(c.env.DB).lastWrite ?? 'first-unconstrained')
    : 'first-primary'
  const session = c.env.DB.withSession(constraint)
  c.set('bookmark', bookmark)
  c.set('session', session)
  const spent = { roundTrips: 0, milliseconds: 0 }
  c.set('spent', spent)
  c.set(
    'db',
    openDatabase(session, async (trip) => {
      const started = Date.now()
      spent.roundTrips += 1
      try {
        return await trip()
      } finally {
        spent.milliseconds += Date.now() - started
      }
    }),
  )
  await next()
})
