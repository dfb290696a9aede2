import * as z from 'zod'
import { answers, invalidData, refusal } from '../scripts/openapi/answers.ts'
import { openApiDocument } from '../scripts/openapi/document.ts'
import { errorsOf, routes } from '../scripts/openapi/routes.ts'
import { HEADERS } from '../scripts/openapi/texts.ts'
import { canonicalPath } from '../src/http/paths.ts'

type Schema = z.core.JSONSchema.JSONSchema
type Operation = {
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { headers: Record<string, unknown> }>
}

const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> }

/** The documented routes with what their paths look like; one that is spelled out comes before a parameter. */
const known = Object.entries(routes)
  .map(([name, route]) => {
    const [method = '', path = ''] = name.split(' ')
    return {
      method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
      isExact: !path.includes(':'),
      route,
      operation: operationOf(method, path),
    }
  })
  .sort((one, other) => Number(other.isExact) - Number(one.isExact))

/** What the OpenAPI document says of a route, with schemas that judge what is sent. */
function operationOf(method: string, path: string) {
  const operation = paths[path.replace(/^\/v1/, '').replace(/:\w+/g, '{id}')]?.[method.toLowerCase()]
  const query = operation?.parameters?.filter((parameter) => parameter.in === 'query') ?? []
  return {
    body: schemaOf(operation?.requestBody?.content['application/json'].schema ?? {}),
    query: schemaOf({
      type: 'object',
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    }),
    headersOf: (status: number) => Object.keys(operation?.responses[status]?.headers ?? {}),
  }
}

/** A schema of the document, to judge by; what zod itself takes for an email is narrower than the format. */
export function schemaOf(schema: object) {
  return z.fromJSONSchema(
    JSON.parse(JSON.stringify(schema), (_, value) =>
      value?.format === 'email' ? { ...value, format: undefined, pattern: '^[^@\\s]+@[^@\\s]+$' } : value,
    ),
  )
}

/** What is sent as the document speaks of it: texts trimmed and in NFC. */
const canonical = (body: unknown) =>
  JSON.parse(typeof body === 'string' ? body : JSON.stringify(body), (_, value) =>
    typeof value === 'string' ? value.trim().normalize('NFC') : value,
  )

/** A query by its parameters, where digits are numbers, but none that zod would not count exactly. */
const queryOf = ({ url }: Request) =>
  Object.fromEntries(
    [...new URL(url).searchParams].map(([name, value]) => [
      name,
      name.endsWith('page')
        ? Math.min(Number(value), Number.MAX_SAFE_INTEGER)
        : canonical(JSON.stringify(value)),
    ]),
  )

/**
 * Every answer that the suite gets of a documented route must be one that the OpenAPI document describes, and
 * every request that was taken one that the document takes.
 */
export async function expectDocumented(request: Request, body: unknown, response: Response): Promise<void> {
  const path = canonicalPath(request)
  const found = known.find(({ method, pattern }) => method === request.method && pattern.test(path))
  if (!found) return
  const headers = found.operation.headersOf(response.status)
  const untold = Object.keys(HEADERS).filter((name) => response.headers.has(name) && !headers.includes(name))
  if (untold.length > 0)
    throw new Error(`${request.method} ${path}: ${response.status} tells not of ${untold.join(', ')}`)
  if (response.ok) {
    found.operation.query.parse(queryOf(request))
    if (typeof body === 'string' || body?.constructor === Object) found.operation.body.parse(canonical(body))
  }
  if (response.status === 304) return
  const { success } = found.route
  const texts = errorsOf(found.route)
    .get(response.status)
    ?.map(({ message }) => message)
  const schema =
    response.status === success.status
      ? answers[success.answer]
      : response.status === 422
        ? invalidData
        : texts && refusal(texts as [string, ...string[]])
  const what = `${request.method} ${path}: ${response.status}`
  if (!schema) throw new Error(`${what} is not documented`)
  const { error } = z.safeParse(schema, await response.json())
  if (error) throw new Error(`${what}: ${z.prettifyError(error)}`)
}
