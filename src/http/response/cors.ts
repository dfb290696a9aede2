import type { Context, MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '#http/app-env.ts'
import { log } from '#log.ts'
import { isAllowedOrigin, isOrigin } from '#settings.ts'

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

const MAX_LOGGED_ORIGINS = 20

/** The origin that browsers send for pages without one, such as local files. */
const OPAQUE_ORIGIN = 'null'

/** Without `Vary: Origin`, because the response is the same for all origins. */
const publicPolicy = honoCors({ ...shared, origin: '*', allowMethods: READ_METHODS })

/**
 * The CORS headers, and the response to OPTIONS on an existing path.
 * @param publicPaths lists whose reads, and those of one item, are open to all origins
 */
export function corsOf(publicPaths: string[]) {
  const logRefused = refusedOriginLog()

  const privatePolicy = honoCors({
    ...shared,
    origin: (origin, c: Context<AppEnv>) => {
      if (isAllowedOrigin(c.get('settings'), origin)) return origin
      logRefused(origin, c)
      return null
    },
    allowMethods: [...READ_METHODS, 'POST', 'PUT', 'PATCH', 'DELETE'],
  })

  const isPublicPath = new RegExp(`^(${publicPaths.join('|')})(/[^/]+)?$`)

  const isPublicRead = (c: Pick<Context, 'req'>) => {
    const isPreflight = c.req.method === 'OPTIONS'
    const requested = c.req.header('Access-Control-Request-Method') ?? ''
    const method = isPreflight ? requested : c.req.method
    return READ_METHODS.includes(method) && isPublicPath.test(c.req.path)
  }

  /** Pages, which are outside the API, have no CORS headers. */
  const applyPolicy = async (c: Context<AppEnv>) => {
    if (!c.req.path.startsWith('/v1/')) return undefined
    const policy = isPublicRead(c) ? publicPolicy : privatePolicy
    return policy(c, async () => undefined)
  }

  /** Sets the headers after the response: Hono duplicates headers that are set before it. */
  const cors: MiddlewareHandler<AppEnv> = createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (c.req.method !== 'OPTIONS') await applyPolicy(c)
  })

  const preflight = async (c: Context<AppEnv>): Promise<Response> =>
    (await applyPolicy(c)) ?? new Response(null, { status: 204 })

  return { cors, preflight }
}

/**
 * Logs an origin that may be missing in CORS_ORIGINS once, and only a few origins, because anyone
 * can send some.
 */
function refusedOriginLog() {
  const logged = new Set<string>()
  return (origin: string, c: Context<AppEnv>): void => {
    const isKnown = logged.has(origin) || logged.size === MAX_LOGGED_ORIGINS
    if (isKnown || !(isOrigin(origin) || origin === OPAQUE_ORIGIN)) return
    if (origin === URL.parse(c.req.url)?.origin) return
    logged.add(origin)
    const event = 'origin not in CORS_ORIGINS'
    log('warn', { event, request_id: c.get('requestId'), origin })
  }
}
