import * as z from 'zod'
import {
  openApiDocument,
  RESPONSE_HEADERS,
  templateOf,
} from '../../scripts/build/openapi/document.ts'
import { errorsOf, operations } from '../../scripts/build/openapi/operations.ts'
import { proofFields } from '#http/authentication/proof.ts'
import { canonicalPath } from '#http/request/paths.ts'
import type { Operation } from '#openapi/operation.ts'
import { errorBody, ValidationError } from '#openapi/schemas.ts'

type Schema = z.core.JSONSchema.JSONSchema
type Parameter = { name: string; in: string; schema: z.core.JSONSchema.Schema }

type DocumentedResponse = {
  headers: Record<string, unknown>
  content?: {
    'application/json': {
      schema: { properties?: { message?: { enum?: string[] } } }
      example?: unknown
    }
  }
}

/** The parts of a documented operation that tests use. */
export type DocumentedOperation = {
  operationId: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: {
    content: {
      'application/json': { schema: Schema & { properties?: object }; example: object }
    }
  }
  responses: Record<string, DocumentedResponse | { $ref: string }>
}

/** The document: made once, because it takes long. */
const document = openApiDocument() as {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { responses: Record<string, DocumentedResponse> }
}

/** The operations of the document, by path and method. */
export const documentedPaths = document.paths

/** The documented response of an operation with a status, also where others share it. */
export function documentedResponse(operation: DocumentedOperation, status: number) {
  const response = operation.responses[status]
  return response && '$ref' in response
    ? document.components.responses[response.$ref.replace(/.+\//, '')]
    : response
}

/** The documented routes with path patterns; literal paths come before parameters. */
const routes = Object.entries(operations)
  .map(([name, operation]) => {
    const [method = '', route = ''] = name.split(' ')
    return {
      name,
      method,
      pattern: new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`),
      isExact: !route.includes(':'),
      operation,
      responseSchemas: {} as Record<number, z.ZodType | undefined>, // those that were met
      ...describedBy(documentedPaths[templateOf(route)]?.[method.toLowerCase()]),
    }
  })
  .sort((one, other) => Number(other.isExact) - Number(one.isExact))

/** The documentation of a route, with schemas to validate requests. */
function describedBy(documented: DocumentedOperation | undefined) {
  const query = (documented?.parameters ?? []).filter(
    (parameter) => parameter.in === 'query',
  )
  const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]))
  const bodySchema = documented?.requestBody?.content['application/json'].schema
  // where a proof is not needed, it is not looked at
  const isProofOptional = /^(create|update)Administrator$/.test(
    documented?.operationId ?? '',
  )
  const unchecked = isProofOptional ? Object.keys(proofFields) : []
  const bodyProperties = Object.entries(bodySchema?.properties ?? {}).filter(
    ([name]) => !unchecked.includes(name),
  )
  return {
    bodySchema: bodySchema && schemaOf(bodySchema),
    bodyProperties: bodyProperties.map(([name]) => name),
    nullProperties: bodyProperties
      .filter(([, schema]) => schemaOf(schema as object).safeParse(null).success)
      .map(([name]) => name),
    querySchema: schemaOf({ type: 'object', properties }),
    queryProperties: properties,
    headersOf: (status: number) =>
      Object.keys((documented && documentedResponse(documented, status))?.headers ?? {}),
  }
}

/** A validator for a schema of the document; zod's own email check is stricter than the format. */
export function schemaOf(schema: object) {
  return z.fromJSONSchema(
    JSON.parse(JSON.stringify(schema), (_, value) =>
      value?.format === 'email'
        ? { ...value, format: undefined, pattern: '^[^@\\s]+@[^@\\s]+$' }
        : value,
    ),
  )
}

/**
 * The documented properties of a body, with texts trimmed and in NFC. Others are ignored, and may
 * be nested deeply; a null that is not documented is as not sent.
 */
function canonical(body: unknown, properties: string[], nullProperties: string[]) {
  // an optional body may be empty
  const parsed =
    typeof body === 'string' ? JSON.parse(body.replace(/^\ufeff/, '') || '{}') : body
  const isSent = (name: string) =>
    Object.hasOwn(parsed, name) &&
    (parsed[name] !== null || nullProperties.includes(name))
  const known = properties.filter(isSent).map((name) => [name, parsed[name]])
  return JSON.parse(JSON.stringify(Object.fromEntries(known)), (_, value) =>
    typeof value === 'string' ? value.trim().normalize('NFC') : value,
  )
}

const BOOLEANS: Record<string, boolean> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

/** A query with typed values; numbers are limited to safe integers. */
function queryOf({ url }: Request, properties: Record<string, Schema>) {
  const parse = (name: string, text: string) => {
    const type = properties[name]?.type
    if (type === 'integer') return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    return type === 'boolean' ? BOOLEANS[text] : text.trim().normalize('NFC')
  }
  // others are ignored
  const known = [...new URL(url).searchParams].filter(([name]) => name in properties)
  return Object.fromEntries(known.map(([name, text]) => [name, parse(name, text)]))
}

/**
 * Every response that the suite gets of a documented route must be one that the OpenAPI document
 * describes, and every request that succeeded one that the document allows. Caches may store only
 * what the document says.
 */
export async function expectDocumented(
  request: Request,
  body: unknown,
  response: Response,
): Promise<void> {
  const path = canonicalPath(request)
  const route = routes.find(
    ({ method, pattern }) => method === request.method && pattern.test(path),
  )
  if (!route) return
  const what = `${request.method} ${path}: ${response.status}`
  const documented = route.headersOf(response.status)
  const undocumented = Object.keys(RESPONSE_HEADERS).filter(
    (name) => response.headers.has(name) && !documented.includes(name),
  )
  if (undocumented.length > 0) {
    throw new Error(`${what} does not document ${undocumented.join(', ')}`)
  }
  const isCacheable = route.operation.cache && (response.ok || response.status === 304)
  if (!isCacheable && response.headers.get('Cache-Control') !== 'no-store') {
    throw new Error(`${what} may be cached`)
  }
  if (response.ok) {
    route.querySchema.parse(queryOf(request, route.queryProperties))
    if (typeof body === 'string' || body?.constructor === Object) {
      route.bodySchema?.parse(canonical(body, route.bodyProperties, route.nullProperties))
    }
  }
  if (response.status === 304) return
  const schema = (route.responseSchemas[response.status] ??= responseSchema(
    route,
    response.status,
  ))
  if (!schema) throw new Error(`${what} is not documented`)
  const { error } = z.safeParse(schema, await response.json())
  if (error) throw new Error(`${what}: ${z.prettifyError(error)}`)
}

/** The schema of a documented response; undefined where the status is not documented. */
function responseSchema(
  { name, operation }: { name: string; operation: Operation },
  status: number,
): z.ZodType | undefined {
  if (status === (operation.status ?? 200)) return operation.response
  if (status === 422) return ValidationError
  const errors = errorsOf(name, operation).filter((error) => error.status === status)
  return errors.length === 0 ? undefined : errorBody(errors.map(({ message }) => message))
}
