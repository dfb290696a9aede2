import * as z from 'zod'
import { invalidData, refusal } from '../scripts/openapi/answers.ts'
import { refusalsOf, routes } from '../scripts/openapi/routes.ts'
import { canonicalPath } from '../src/http/paths.ts'

/** The documented routes with what their paths look like; one that is spelled out comes before a parameter. */
const known = Object.entries(routes)
  .map(([name, route]) => {
    const [method = '', path = ''] = name.split(' ')
    return {
      method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
      isExact: !path.includes(':'),
      route,
    }
  })
  .sort((one, other) => Number(other.isExact) - Number(one.isExact))

/** Every answer that the suite gets of a documented route must be one that the OpenAPI document describes. */
export async function expectDocumented(request: Request, response: Response): Promise<void> {
  const path = canonicalPath(request)
  const found = known.find(({ method, pattern }) => method === request.method && pattern.test(path))
  if (!found || response.status === 304) return
  const { success } = found.route
  const texts = refusalsOf(found.route)
    .get(response.status)
    ?.map(({ message }) => message)
  const schema =
    response.status === success.status
      ? success.answer
      : response.status === 422
        ? invalidData
        : texts && refusal(texts as [string, ...string[]])
  const what = `${request.method} ${path}: ${response.status}`
  if (!schema) throw new Error(`${what} is not documented`)
  const { error } = z.safeParse(schema, await response.json())
  if (error) throw new Error(`${what}: ${z.prettifyError(error)}`)
}
