import type { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods that a path has routes for; none if there is no such path. */
export function allowedMethods(
  { router }: Pick<Hono<AppEnv>, 'router'>,
  path: string,
): string[] {
  const allowed = METHODS.filter((method) => {
    const [matches] = router.match(method, path)
    return matches.some(([[, route]]) => route.method === method) // middleware has all
  })
  return allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
}
