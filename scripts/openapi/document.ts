import * as z from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { fieldErrors } from '../../src/http/middleware/validation.ts'
import { answers, invalidData, refusal } from './answers.ts'
import { examples } from './examples.ts'
import { errorsOf, type Route, routes, TAGS } from './routes.ts'
import { DESCRIPTION, HEADERS, QUERY, TITLES } from './texts.ts'

type Json = Record<string, unknown>

/** The description of the interface as OpenAPI 3.1, from the schemas that validate what is sent. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {}
  const schemas: Json = {}
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path = ''] = name.split(' ')
    const template = path.replace(/^\/v1/, '').replace(/:\w+/g, '{id}') // by one name in all operations
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation(route, template, schemas) }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Informer Provisioning Service',
      version: packageJson.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, { description, example }]) => [
          name,
          { description, schema: { type: 'string' }, example },
        ]),
      ),
    },
  }
  // where JSON Schema keeps what is shared, and where OpenAPI does
  return JSON.parse(JSON.stringify(document).replaceAll('#/$defs/', '#/components/schemas/')) as Json
}

function operation(route: Route, template: string, schemas: Json): Json {
  const { id, tag, summary, description, token, body, query, success, isRepeatable } = route
  const parameters = [
    ...Array.from(template.matchAll(/\{(\w+)\}/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      description: 'O identificador do registro.',
      schema: { type: 'string', format: 'uuid' },
    })),
    ...(query ? queryParameters(query, schemas) : []),
    ...(success.isCacheable ? [header('If-None-Match', 'O ETag de uma resposta guardada.')] : []),
    ...(isRepeatable
      ? [header('Idempotency-Key', 'Repetido com o mesmo corpo, nada é criado duas vezes.')]
      : []),
    ...(success.isCacheable || template === '/cover'
      ? [header('x-d1-bookmark', 'De uma resposta anterior: esta vê pelo menos o que aquela viu.')]
      : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: { required: [{ token: [] }], optional: [{}, { token: [] }], none: [{}] }[token],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.isOptional,
            content: {
              'application/json': { schema: schemaOf(body.schema, 'input', schemas), example: body.example },
            },
          },
        }
      : {}),
    responses: responses(route, schemas),
  }
}

function responses(route: Route, schemas: Json): Json {
  const { body, query, success, token } = route
  const every = ['Cache-Control', 'X-Request-Id', 'Server-Timing']
  const own = [...every, ...(token === 'none' ? [] : ['x-d1-bookmark'])]
  const more: Record<number, string[]> = {
    401: ['WWW-Authenticate'],
    405: ['Allow'],
    429: ['Retry-After'],
    502: ['Retry-After'],
    503: ['Retry-After'],
  }
  const refused = [...errorsOf(route)].map(([status, errors]) => {
    const told = status === 405 ? every : own // before any token is looked at
    const texts = [...new Set(errors.map(({ message }) => message))] as [string, ...string[]]
    const examples = Object.fromEntries(
      texts.map((text, index) => [`texto_${index + 1}`, { value: { success: false, message: text } }]),
    )
    return [
      status,
      answer(schemas, TITLES[status] ?? '', refusal(texts), [...told, ...(more[status] ?? [])], examples),
    ] as const
  })
  const headers = success.isCacheable
    ? ['ETag', ...(success.hasDrafts ? own : ['Cache-Control'])] // an administrator's is not
    : own
  return {
    [success.status]: answer(schemas, 'Sucesso.', answers[success.answer], headers, {
      exemplo: { value: examples[success.answer] },
    }),
    ...(success.isCacheable
      ? {
          304: {
            description: 'O que o cliente tem ainda vale.',
            headers: headersOf(headers),
          },
        }
      : {}),
    ...Object.fromEntries(refused),
    ...(body || query
      ? { 422: answer(schemas, 'Os dados são inválidos.', invalidData, own, invalidExample(route)) }
      : {}),
  }
}

/** What is answered to what is wrong, by the schema itself. */
function invalidExample({ body, query, wrong }: Route): Json {
  const { error } = (body?.schema ?? query)?.safeParse(wrong) ?? {}
  if (!error) throw new Error(`nothing is wrong with ${JSON.stringify(wrong)}`)
  return { errado: { value: { message: 'Os dados fornecidos são inválidos.', errors: fieldErrors(error) } } }
}

function answer(
  schemas: Json,
  description: string,
  schema: z.core.$ZodType,
  headers: string[],
  examples: Json,
): Json {
  const content = { schema: schemaOf(schema, 'output', schemas), examples }
  return { description, headers: headersOf(headers), content: { 'application/json': content } }
}

const headersOf = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

function queryParameters(schema: z.core.$ZodType, schemas: Json): Json[] {
  const { properties } = schemaOf(schema, 'input', schemas) as { properties: Record<string, Json> }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    schema: property,
    ...QUERY[name],
  }))
}

/** A schema as JSON Schema; those with an id of their own go to the components that all answers share. */
function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output', shared: Json): Json {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  Object.assign(shared, $defs)
  return json
}
