import { publicApp } from './apps/public.ts'
import { canonicalPath } from '#http/request/paths.ts'

// Most isolates serve only a few requests, so each evaluates the apps that it serves, with their first
// request. The public one, the smallest, is always there.

/** The first segments of paths below /v1. All that are in neither list are public, or unknown. */
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

async function appOf(path: string) {
  const [, version, segment = ''] = path.split('/')
  if (version !== 'v1') return publicApp

  if (USER.includes(segment)) return (await import('./apps/user.ts')).userApp
  if (ADMINISTRATION.includes(segment)) {
    return (await import('./apps/administration.ts')).administrationApp
  }
  return publicApp
}

export default {
  async fetch(request: Request, env: Env, context?: ExecutionContext) {
    const app = await appOf(canonicalPath(request))
    return app.fetch(request, env, context)
  },

  async scheduled(controller, env, context?: ExecutionContext) {
    const { scheduled } = await import('./scheduled.ts')
    await scheduled(controller, env, context)
  },
} satisfies ExportedHandler<Env>
