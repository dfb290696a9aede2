import { createMiddleware } from 'hono/factory'
import { type Interceptor, openDatabase } from '../../database/client.ts'
import type { AppEnv } from '../app-env.ts'
import { responseCacheOf } from './response-cache.ts'

const BOOKMARK = /^[0-9a-f-]{1,128}$/

/**
 * Opens the D1 session of a request (D1 read replication). Reads use the nearest replica that is up to date with the
 * client's `x-d1-bookmark` or this isolate's last write; writes, including logins, start at the primary. Malformed and
 * anonymous bookmarks are ignored.
 */
export const databaseSession = createMiddleware<AppEnv>(async (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const header = c.req.header('x-d1-bookmark') ?? ''
  const bookmark = c.req.header('Authorization') && BOOKMARK.test(header) ? header : null
  const constraint = isRead
    ? (bookmark ?? responseCacheOf(c.env.DB).lastBookmark ?? 'first-unconstrained')
    : 'first-primary'
  const session = c.env.DB.withSession(constraint)
  const queryStats = { roundTrips: 0 }
  const count: Interceptor = (query) => {
    queryStats.roundTrips += 1
    return query()
  }
  c.set('bookmark', bookmark)
  c.set('session', session)
  c.set('queryStats', queryStats)
  c.set('db', openDatabase(session, count))
  await next()
})
