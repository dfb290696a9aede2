import type { Context } from 'hono'
import { cors as honoCors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../app-env.ts'

/** The public lists and the changelog. */
const PUBLIC_PATHS = /^\/v1\/(categories|dioceses|treatment-pronouns|changelogs)(\/[^/]+)?$/
const READ_METHODS = ['GET', 'HEAD']

const OWN_HEADERS = ['Idempotency-Key', 'X-Request-Id', 'X-Requested-With']

const shared = {
  allowHeaders: ['Authorization', 'Content-Type', 'If-None-Match', ...OWN_HEADERS],
  exposeHeaders: ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  maxAge: 86_400,
}
/** Without `Vary: Origin`, because the response is the same for all origins. */
const publicPolicy = honoCors({ ...shared, origin: '*', allowMethods: READ_METHODS })
const privatePolicy = honoCors({
  ...shared,
  origin: (origin, c: Context<AppEnv>) =>
    c.get('settings').CORS_ORIGINS.includes(origin) ? origin : null,
  allowMethods: [...READ_METHODS, 'POST', 'PUT', 'PATCH', 'DELETE'],
})

/** Sets the CORS headers after the response: Hono duplicates headers that are set before it. */
export const cors = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  if (c.req.method !== 'OPTIONS') await applyPolicy(c)
})

/** Responds to OPTIONS on an existing path. */
export async function preflight(c: Context<AppEnv>): Promise<Response> {
  return (await applyPolicy(c)) ?? c.body(null, 204)
}

/** Pages, which are outside the API, have no CORS headers. */
async function applyPolicy(c: Context<AppEnv>) {
  if (!c.req.path.startsWith('/v1/')) return
  const policy = isPublicRead(c) ? publicPolicy : privatePolicy
  return policy(c, async () => undefined)
}

function isPublicRead(c: Context): boolean {
  const isPreflight = c.req.method === 'OPTIONS'
  const method = isPreflight ? (c.req.header('Access-Control-Request-Method') ?? '') : c.req.method
  return READ_METHODS.includes(method) && PUBLIC_PATHS.test(c.req.path)
}
