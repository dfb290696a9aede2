import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { openDatabase } from './database/connection.ts'
import { dropOldTokens } from './database/email-verifications.ts'
import { dropOldFailures } from './database/logins.ts'
import { answerHeaders, securityHeaders } from './http/answers.ts'
import type { AppEnv } from './http/app-env.ts'
import { crossOrigin, preflight } from './http/cross-origin.ts'
import { onError } from './http/faults.ts'
import { canonicalPath } from './http/paths.ts'
import { rememberedAnswers } from './http/public-pages.ts'
import { refusals, refuse } from './http/refusals.ts'
import { requestLog } from './http/request-log.ts'
import { databaseSession } from './http/sessions.ts'
import { sendDueMails } from './mail/verification.ts'
import { auth } from './routes/auth.ts'
import { authEmail } from './routes/auth-email.ts'
import { categories } from './routes/categories.ts'
import { changelogs } from './routes/changelogs.ts'
import { cover } from './routes/cover.ts'
import { documentation } from './routes/documentation.ts'
import { health } from './routes/health.ts'
import { informers } from './routes/informers.ts'
import { settingsOf } from './settings.ts'

/** The map of the site. A request passes these in turn, down to its route. */
const app = new Hono<AppEnv>({ getPath: canonicalPath })

app.use(rememberedAnswers, answerHeaders, requestLog, securityHeaders)
app.use(async (c, next) => {
  c.set('settings', settingsOf(c.env))
  await next()
})
app.use(databaseSession)
app.use(
  crossOrigin,
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, allowed) =>
      c.req.method === 'OPTIONS' ? preflight(c) : refuse(c, refusals.method(allowed)),
  }),
)

app.route('/v1/auth', auth)
app.route('/v1/auth/email', authEmail)
app.route('/v1/cover', cover)
app.route('/v1/informers', informers)
app.route('/v1/categories', categories)
app.route('/v1/changelogs', changelogs)
app.route('/v1/health', health)
app.route('/v1', documentation)

app.notFound((c) => refuse(c, refusals.noRoute()))
app.onError(onError)

/** What the cron trigger does: mails that wait, and what has had its time. */
async function scheduled(_: ScheduledController, env: Env): Promise<void> {
  const db = openDatabase(env.DB.withSession('first-primary'))
  await sendDueMails(db, env, settingsOf(env), null)
  await dropOldTokens(db)
  await dropOldFailures(db)
}

export default Object.assign(app, { scheduled })
