import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './app-env.ts'

const PUBLIC_READS = /^\/v1\/(categories|changelogs(\/[^/]+)?)$/
const READ_METHODS = ['GET', 'HEAD']
const EXPOSED = ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id']
const PREFLIGHT_SECONDS = 86_400

const anyOrigin = cors({
  origin: '*',
  allowMethods: READ_METHODS,
  allowHeaders: ['Authorization'],
  exposeHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
})

const listedOrigins = cors({
  origin: (origin, c: Context<AppEnv>) => (c.var.settings.CORS_ORIGINS.includes(origin) ? origin : null),
  allowMethods: [...READ_METHODS, 'POST', 'PUT', 'DELETE'],
  allowHeaders: ['Authorization', 'Content-Type'],
  exposeHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
})

/** CORS: a public cacheable read may be made from any origin, everything else from `CORS_ORIGINS` alone. */
export const crossOrigin = createMiddleware<AppEnv>((c, next) => {
  const method = c.req.method === 'OPTIONS' ? c.req.header('Access-Control-Request-Method') : c.req.method
  const publicRead = PUBLIC_READS.test(c.req.path) && READ_METHODS.includes(method ?? '')
  return publicRead ? anyOrigin(c, next) : listedOrigins(c, next)
})
