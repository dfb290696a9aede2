import * as z from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { invalidData, refusal } from './answers.ts'
import { type Route, refusalsOf, routes, TAGS } from './routes.ts'

type Json = Record<string, unknown>

const HEADERS: Record<string, { description: string; example: string }> = {
  'X-Request-Id': {
    description: 'O identificador do pedido, como está no registro do serviço.',
    example: '3f6303d7-ba33-429f-968e-be417f712126',
  },
  'x-d1-bookmark': {
    description:
      'O estado do banco de dados que a resposta viu; enviado de volta, o próximo pedido vê pelo menos este.',
    example: '00000001-00000000-00004f2c-0123456789abcdef',
  },
  'Server-Timing': {
    description: 'Quanto tempo levou.',
    example: 'db;dur=3;desc="1 round trips", total;dur=4',
  },
  ETag: { description: 'Para If-None-Match.', example: '"kX9v4mJ8z1"' },
  'Cache-Control': {
    description: 'Quem pode guardar a resposta, e por quanto tempo.',
    example: 'public, max-age=60',
  },
  'WWW-Authenticate': { description: 'RFC 6750.', example: 'Bearer' },
  'Retry-After': { description: 'Em quantos segundos tentar de novo.', example: '5' },
}

const TITLES: Record<number, string> = {
  400: 'O corpo não é um objeto JSON.',
  401: 'Sem token ou com token inválido, ou credenciais inválidas.',
  403: 'Sem permissão.',
  404: 'Não encontrado.',
  405: 'Outro método que os do caminho.',
  413: 'O corpo é grande demais.',
  415: 'O corpo não é application/json.',
  429: 'Tentativas demais.',
  500: 'Um erro do serviço.',
  502: 'O repositório git não respondeu.',
  503: 'O banco de dados não responde agora.',
}

const QUERY: Record<string, { description: string; schema?: Json; example?: unknown }> = {
  search: {
    description: 'Parte do nome ou da descrição, sem distinção de maiúsculas e acentos.',
    example: 'conego',
  },
  page: { description: 'O número da página.', schema: { type: 'integer', minimum: 1, default: 1 } },
  per_page: {
    description: 'Itens por página.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 12 },
  },
  active: { description: 'Só as ativas, ou só as inativas.' },
  category: { description: 'Só os registros desta categoria.' },
  version: { description: 'Só os registros desta versão.', example: 'v1.2.0' },
  is_published: { description: 'Só os publicados, ou só os rascunhos (administradores).' },
  date_from: { description: 'A partir desta data, inclusive.', schema: { type: 'string', format: 'date' } },
  date_to: { description: 'Até esta data, inclusive.', schema: { type: 'string', format: 'date' } },
}

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
      description: 'Consulta sigilosa de informantes na provisão de uma sede. Todas as respostas são JSON.',
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
  const { id, tag, summary, token, body, query, success, isRepeatable } = route
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
  const own = ['X-Request-Id', 'Server-Timing', ...(token === 'none' ? [] : ['x-d1-bookmark'])]
  const more: Record<number, string[]> = {
    401: ['WWW-Authenticate'],
    429: ['Retry-After'],
    503: ['Retry-After'],
  }
  const refused = [...refusalsOf(route)].map(([status, told]) => {
    const texts = [...new Set(told.map(({ message }) => message))] as [string, ...string[]]
    const examples = Object.fromEntries(
      texts.map((text, index) => [`texto_${index + 1}`, { value: { success: false, message: text } }]),
    )
    return [
      status,
      answer(schemas, TITLES[status] ?? '', refusal(texts), [...own, ...(more[status] ?? [])], examples),
    ] as const
  })
  return {
    [success.status]: answer(
      schemas,
      'Sucesso.',
      success.answer,
      success.isCacheable ? ['Cache-Control', 'ETag'] : own,
    ),
    ...(success.isCacheable
      ? {
          304: {
            description: 'O que o cliente tem ainda vale.',
            headers: headersOf(['ETag', 'Cache-Control']),
          },
        }
      : {}),
    ...Object.fromEntries(refused),
    ...(body || query ? { 422: answer(schemas, 'Os dados são inválidos.', invalidData, own) } : {}),
  }
}

function answer(
  schemas: Json,
  description: string,
  schema: z.core.$ZodType,
  headers: string[],
  examples?: Json,
): Json {
  const content = { schema: schemaOf(schema, 'output', schemas), ...(examples ? { examples } : {}) }
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
