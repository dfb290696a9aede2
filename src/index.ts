import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { TrieRouter } from 'hono/router/trie-router'
import { scheduled } from './scheduled.ts'
import { parseSettings } from './settings.ts'
import { responded } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import { databaseSession } from '#http/database-session.ts'
import { canonicalPath } from '#http/request/paths.ts'
import { corsOf } from '#http/response/cors.ts'
import { errorResponse, onError } from '#http/response/error-responses.ts'
import { errors } from '#http/response/errors.ts'
import { requestLog } from '#http/response/request-log.ts'
import { responseHeaders } from '#http/response/response-headers.ts'
import { administrators } from '#routes/administrators/handlers.ts'
import { apiTokens } from '#routes/api-tokens/handlers.ts'
import { auditEvents } from '#routes/audit-events/handlers.ts'
import { emailLinks } from '#routes/auth/email-links.ts'
import { password } from '#routes/auth/password.ts'
import { secondFactor } from '#routes/auth/second-factor.ts'
import { sessions } from '#routes/auth/sessions.ts'
import { changelogs } from '#routes/changelogs/handlers.ts'
import { changelogsSync } from '#routes/changelogs/sync.ts'
import { cover } from '#routes/cover.ts'
import { documentation } from '#routes/documentation.ts'
import { health } from '#routes/health.ts'
import { informerGroups } from '#routes/informers/groups.ts'
import { informers } from '#routes/informers/handlers.ts'
import { informerQuestionnaires } from '#routes/informers/questionnaires.ts'
import { notFoundPage, pages } from '#routes/pages.ts'
import { groups } from '#routes/processes/groups.ts'
import { processes } from '#routes/processes/processes.ts'
import { questionnaires } from '#routes/processes/questionnaires.ts'
import { publicPaths } from '#routes/public-paths.ts'
import { referenceListRoutes } from '#routes/reference-lists/handlers.ts'
import { referenceLists } from '#routes/reference-lists/lists.ts'

const { cors, preflight } = corsOf(publicPaths)

/** The site map. Middleware runs top to bottom, then the matching route. */
const app = new Hono<AppEnv>({
  getPath: canonicalPath,
  router: new TrieRouter(), // Hono's default settles on it for these paths, in the first request
})

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

app.route('/', pages)

app.route('/v1/auth', sessions)
app.route('/v1/auth', password)
app.route('/v1/auth', secondFactor)
app.route('/v1/auth', emailLinks)
app.route('/v1/cover', cover)
app.route('/v1/informers', informers)
app.route('/v1/informers', informerGroups)
app.route('/v1/informers', informerQuestionnaires)
app.route('/v1/administrators', administrators)
app.route('/v1/api-tokens', apiTokens)
app.route('/v1/processes', processes)
app.route('/v1', groups)
app.route('/v1', questionnaires)
for (const list of referenceLists) app.route(list.path, referenceListRoutes(list))
app.route('/v1/changelogs', changelogs)
app.route('/v1/changelogs/sync-from-git', changelogsSync)
app.route('/v1/audit-events', auditEvents)
app.route('/v1/health', health)
app.route('/v1', documentation)

app.notFound((c) => notFoundPage(c) ?? errorResponse(c, errors.routeNotFound()))
app.onError(onError)

export default Object.assign(app, { scheduled })
