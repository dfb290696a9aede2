import { methodNotAllowed } from 'hono/method-not-allowed'
import { Hono } from 'hono/quick'
import type { AppEnv } from './http/app-env.ts'
import { cacheOf } from './http/cache.ts'
import { errorResponse, errors, onError } from './http/errors.ts'
import { storePublicResponses } from './http/middleware/cache.ts'
import { cors, preflight } from './http/middleware/cors.ts'
import { databaseSession } from './http/middleware/database-session.ts'
import { requestLog } from './http/middleware/request-log.ts'
import { responseHeaders } from './http/middleware/response-headers.ts'
import { canonicalPath } from './http/paths.ts'
import { administrators } from './routes/administrators.ts'
import { auditEvents } from './routes/audit-events.ts'
import { authLinks } from './routes/auth-links.ts'
import { auth } from './routes/auth.ts'
import { categories } from './routes/categories.ts'
import { changelogsSync } from './routes/changelogs-sync.ts'
import { changelogs } from './routes/changelogs.ts'
import { cover } from './routes/cover.ts'
import { dioceses } from './routes/dioceses.ts'
import { documentation, redirectToDocs } from './routes/documentation.ts'
import { groups } from './routes/groups.ts'
import { health } from './routes/health.ts'
import { informers } from './routes/informers.ts'
import { notFoundPage, pages } from './routes/pages.ts'
import { processes } from './routes/processes.ts'
import { questionnaires } from './routes/questionnaires.ts'
import { treatmentPronouns } from './routes/treatment-pronouns.ts'
import { scheduled } from './scheduled.ts'
import { parseSettings } from './settings.ts'

/** The site map. Middleware runs top to bottom, then the matching route. */
const app = new Hono<AppEnv>({ getPath: canonicalPath })

app.use(storePublicResponses, responseHeaders, requestLog)
app.use(async (c, next) => {
  c.set('settings', parseSettings(c.env))
  await next()
})
app.use(
  databaseSession,
  cors,
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, allowed) =>
      c.req.method === 'OPTIONS'
        ? preflight(c)
        : errorResponse(c, errors.methodNotAllowed(allowed)),
  }),
)

app.use('/', redirectToDocs)
app.route('/', pages)

const routes = app
  .route('/v1/auth', auth)
  .route('/v1/auth', authLinks)
  .route('/v1/cover', cover)
  .route('/v1/informers', informers)
  .route('/v1/administrators', administrators)
  .route('/v1/processes', processes)
  .route('/v1/groups', groups)
  .route('/v1/questionnaires', questionnaires)
  .route('/v1/categories', categories)
  .route('/v1/dioceses', dioceses)
  .route('/v1/treatment-pronouns', treatmentPronouns)
  .route('/v1/changelogs', changelogs)
  .route('/v1/changelogs/sync-from-git', changelogsSync)
  .route('/v1/audit-events', auditEvents)
  .route('/v1/health', health)
  .route('/v1', documentation)

/** The type for `hc<App>` of hono/client. */
export type App = typeof routes

app.notFound((c) => notFoundPage(c) ?? errorResponse(c, errors.routeNotFound()))
app.onError(onError)

const { fetch } = app

/** A repeated public read comes from memory without passing Hono, which would take half of its time. */
const fetchCached: typeof fetch = (request, env, context) =>
  cacheOf((env as Env).DB).match(request) ?? fetch(request, env, context)

export default Object.assign(app, { fetch: fetchCached, scheduled })
