import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { parseSettings } from './settings.ts'
import { siteMap } from './site-map.ts'
import { responded } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import { databaseSession } from '#http/database-session.ts'
import { canonicalPath } from '#http/request/paths.ts'
import { corsOf } from '#http/response/cors.ts'
import { errorResponse, onError } from '#http/response/error-responses.ts'
import { errors } from '#http/response/errors.ts'
import { requestLog } from '#http/response/request-log.ts'
import { responseHeaders } from '#http/response/response-headers.ts'
import { publicPaths } from '#routes/public-paths.ts'

const { cors, preflight } = corsOf(publicPaths)

/** Builds the app of a resource. Middleware runs top to bottom, then the matching route. */
async function buildApp(resource: string): Promise<Hono<AppEnv>> {
  const app = new Hono<AppEnv>({ getPath: canonicalPath })

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

  await siteMap.get(resource)?.(app)

  app.notFound(async (c) => {
    const { notFoundPage } = await import('#routes/pages.ts')
    return notFoundPage(c) ?? errorResponse(c, errors.routeNotFound())
  })
  app.onError(onError)
  return app
}

/** The apps that the isolate has built. */
const apps = new Map<string, Hono<AppEnv>>()

/** Lets the app of a request's resource respond. */
async function respond(request: Request, ...bindings: [Env, ExecutionContext?]) {
  const resource = resourceOf(canonicalPath(request))
  const app = apps.get(resource) ?? (await buildApp(resource))
  apps.set(resource, app)
  return app.fetch(request, ...bindings)
}

/** Returns the key of a path in the site map; the same for all unknown ones. */
function resourceOf(path: string): string {
  const [, version, name = ''] = path.split('/')
  if (version !== 'v1') return ''
  return siteMap.has(name) ? name : 'unknown'
}

const app = new Hono<AppEnv>().mount('/', respond, { replaceRequest: false })

export default Object.assign(app, {
  async scheduled(...event: [ScheduledController, Env, ExecutionContext?]) {
    const { scheduled } = await import('./scheduled.ts')
    await scheduled(...event)
  },
})
