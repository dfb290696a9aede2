import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { TrieRouter } from 'hono/router/trie-router'
import { Hono } from 'hono/tiny'
import { responded } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import { databaseSession } from '#http/database-session.ts'
import { canonicalPath } from '#http/request/paths.ts'
import { corsOf } from '#http/response/cors.ts'
import { errorResponse, onError } from '#http/response/error-responses.ts'
import { errors } from '#http/response/errors.ts'
import { requestLog } from '#http/response/request-log.ts'
import { responseHeaders } from '#http/response/response-headers.ts'
import { notFoundPage } from '#routes/pages.ts'
import { publicPaths } from '#routes/public-paths.ts'
import { parseSettings } from '#settings.ts'

const { cors, preflight } = corsOf(publicPaths)

/** Creates an app without routes. Its middleware runs top to bottom, then the matching route. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ getPath: canonicalPath })
  app.router = new TrieRouter() // the preset's own would try each route

  app.use(requestId({ headerName: '' })) // a client's own would get into the records
  app.use(responded, responseHeaders, requestLog)
  app.use(async (c, next) => {
    c.set('settings', parseSettings(c.env))
    await next()
  })
  app.use(databaseSession, cors)
  app.use(
    methodNotAllowed({
      app,
      // no route handles OPTIONS, so a preflight gets here too
      onMethodNotAllowed: (c, methods) =>
        c.req.method === 'OPTIONS'
          ? preflight(c)
          : errorResponse(c, errors.methodNotAllowed(methods)),
    }),
  )
  app.notFound((c) => notFoundPage(c) ?? errorResponse(c, errors.routeNotFound()))
  app.onError(onError)
  return app
}
