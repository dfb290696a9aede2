import type { Context, MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '#http/app-env.ts'
import { isOfApi } from '#http/request/paths.ts'
import { isAllowedOrigin } from '#settings.ts'

const READ_METHODS = ['GET', 'HEAD']
const OWN_HEADERS = ['Idempotency-Key', 'X-Request-Id', 'X-Requested-With']

const shared = {
  allowHeaders: [
    'Authorization',
    'Content-Type',
    'If-Match',
    'If-None-Match',
    ...OWN_HEADERS,
  ],
  exposeHeaders: ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  maxAge: 86_400,
}

/** Without `Vary: Origin`, because the response is the same for all origins. */
const publicPolicy = honoCors({ ...shared, origin: '*', allowMethods: READ_METHODS })

const allowedOrigin = (origin: string, c: Context<AppEnv>): string | null =>
  isAllowedOrigin(c.get('settings'), origin) ? origin : null

const privatePolicy = honoCors({
  ...shared,
  origin: allowedOrigin,
  allowMethods: [...READ_METHODS, 'POST', 'PUT', 'PATCH', 'DELETE'],
})

/**
 * The CORS headers, and the response to OPTIONS on an existing path.
 * @param publicPaths lists whose reads, and those of one item, are open to all origins
 */
export function corsOf(publicPaths: string[]) {
  const isPublicPath = new RegExp(`^(${publicPaths.join('|')})(/[^/]+)?$`)

  const isPublicRead = (c: Pick<Context, 'req'>) => {
    const isPreflight = c.req.method === 'OPTIONS'
    const requested = c.req.header('Access-Control-Request-Method') ?? ''
    const method = isPreflight ? requested : c.req.method
    return READ_METHODS.includes(method) && isPublicPath.test(c.req.path)
  }

  const applyPolicy = async (c: Context<AppEnv>) => {
    if (!isOfApi(c.req.path)) return undefined // pages have no CORS headers
    const policy = isPublicRead(c) ? publicPolicy : privatePolicy
    return policy(c, async () => undefined)
  }

  /** Sets the headers after the response: `repeatable` discards a refused one with its headers. */
  const cors: MiddlewareHandler<AppEnv> = createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (c.req.method !== 'OPTIONS') await applyPolicy(c)
    else if (c.res.status === 404 && isOfApi(c.req.path)) showUnknownPath(c)
  })

  const preflight = async (c: Context<AppEnv>): Promise<Response> =>
    (await applyPolicy(c)) ?? new Response(null, { status: 204 })

  return { cors, preflight }
}

/** Lets a listed origin read the 404 of a preflight: otherwise a typo looks like a CORS error. */
function showUnknownPath(c: Context<AppEnv>): void {
  const origin = allowedOrigin(c.req.header('Origin') ?? '', c)
  if (!origin) return
  c.header('Access-Control-Allow-Origin', origin)
  c.header('Vary', 'Origin', { append: true })
}
