import { Hono } from 'hono/tiny'
import { publicApp } from './apps/public.ts'
import type { AppEnv } from '#http/app-env.ts'
import { canonicalPath } from '#http/request/paths.ts'
import { onError } from '#http/response/error-responses.ts'

// Most isolates serve only a few requests, so each evaluates an app with its first request. The
// public one is always there, so it has only what most requests ask for.

/** The first segments of paths below /v1, by app. All others are public, or unknown. */
const USER = ['auth', 'cover']
const ADMINISTRATION = [
  'administrators',
  'api-tokens',
  'audit-events',
  'changelogs',
  'docs',
  'groups',
  'informers',
  'openapi.json',
  'processes',
  'questionnaires',
]

// What was imported, because `import` takes a while each time.
let userApp: Hono<AppEnv> | undefined
let administrationApp: Hono<AppEnv> | undefined

async function appOf(path: string): Promise<Hono<AppEnv>> {
  const [, version, segment = ''] = path.split('/')
  if (version !== 'v1') return publicApp

  if (USER.includes(segment)) {
    userApp ??= (await import('./apps/user.ts')).userApp
    return userApp
  }
  if (ADMINISTRATION.includes(segment)) {
    administrationApp ??= (await import('./apps/administration.ts')).administrationApp
    return administrationApp
  }
  return publicApp
}

/** Lets the app of a request's path respond, which has the middleware. */
async function respond(request: Request, env: Env, context?: ExecutionContext) {
  const app = await appOf(canonicalPath(request))
  return app.fetch(request, env, context)
}

const app = new Hono<AppEnv>().mount('/', respond, { replaceRequest: false })
app.onError(onError)

export default Object.assign(app, {
  async scheduled(event: ScheduledController, env: Env, context?: ExecutionContext) {
    const { scheduled } = await import('./scheduled.ts')
    await scheduled(event, env, context)
  },
})
