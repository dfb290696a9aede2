import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './app-env.ts'
import { openDatabase } from '#database/client.ts'

/**
 * Opens the D1 session of a request (D1 read replication). An anonymous read uses the nearest
 * replica. Everything else starts at the primary: a replica that lags could still accept a token
 * that has ended, or miss what was written before.
 */
export const databaseSession = createMiddleware<AppEnv>(async (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const isAnonymousRead = isRead && !c.req.header('Authorization')
  const session = c.env.DB.withSession(
    isAnonymousRead ? 'first-unconstrained' : 'first-primary',
  )
  const queryStats = { roundTrips: 0 }
  c.set('queryStats', queryStats)
  c.set('db', openDatabase(session, queryStats))
  await next()
})
