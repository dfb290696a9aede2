import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './app-env.ts'

const PUBLIC_READS = /^\/v1\/(categories|changelogs(\/[^/]+)?)$/
const READ_METHODS = ['GET', 'HEAD']
const ALLOWED = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'x-d1-bookmark']
const EXPOSED = ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id', 'x-d1-bookmark']
const PREFLIGHT_SECONDS = 86_400

const anyOrigin = cors({
  origin: '*',
  allowMethods: READ_METHODS,
  allowHeaders: ALLOWED,
  exposeHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
})

const listedOrigins = cors({
  origin: (origin, c: Context<AppEnv>) => (c.get('settings').CORS_ORIGINS.includes(origin) ? origin : null),
  allowMethods: [...READ_METHODS, 'POST', 'PUT', 'DELETE'],
  allowHeaders: ALLOWED,
  exposeHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
})

/**
 * CORS: a public cacheable read may be made from any origin, everything else from `CORS_ORIGINS` alone.
 * It comes after the answer, because headers that are set before it are written twice.
 */
export const crossOrigin = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  if (c.req.method !== 'OPTIONS') await policyFor(c, c.req.method)(c, async () => undefined)
})

/** The answer to OPTIONS on a path that exists. */
export async function preflight(c: Context<AppEnv>): Promise<Response> {
  const answer = await policyFor(c, c.req.header('Access-Control-Request-Method'))(c, async () => undefined)
  return answer ?? c.body(null, 204)
}

function policyFor(c: Context<AppEnv>, method = ''): MiddlewareHandler<AppEnv> {
  const isPublic = PUBLIC_READS.test(c.req.path) && READ_METHODS.includes(method)
  // an administrator's reads hold drafts
  return isPublic && c.get('caller')?.role !== 'administrator' ? anyOrigin : listedOrigins
}
