import packageJson from '../../../package.json' with { type: 'json' }
import { bodySchemaOf, describeNullable, type Json, jsonSchemaOf } from './json-schema.ts'
import { pathParametersOf } from './operations.ts'
import { responsesOf } from './responses.ts'
import { scopeSentence, SECURITY_SCHEMES, securityOf } from './security.ts'
import { shareResponses } from './shared-responses.ts'
import type { Operation } from '#openapi/operation.ts'
import { resources } from '#routes/resources.ts'

const DESCRIPTION =
  'Consulta sigilosa de informantes na provisão de uma sede. Todas as respostas são JSON.\n\n' +
  'Os textos enviados perdem os espaços das pontas e são normalizados (NFC) antes da ' +
  'validação; os limites contam os pontos de código que restam. Senha e CPF são usados como ' +
  'enviados. Em um `POST`, `null` equivale a não enviar o campo. Um parâmetro de consulta que ' +
  'não existe resulta em 422, exceto nas listas públicas, que o ignoram.'

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
})

export const RESPONSE_HEADERS = {
  'X-Request-Id': header(
    'O identificador da requisição, o mesmo dos logs do serviço.',
    '3f6303d7-ba33-429f-968e-be417f712126',
  ),
  ETag: header(
    'Envie-o em `If-None-Match`; o de uma pessoa, em `If-Match`.',
    '"kX9v4mJ8z1"',
  ),
  'Cache-Control': header(
    'Quem pode guardar a resposta e por quanto tempo; `no-store` se ninguém pode.',
    'public, max-age=60',
  ),
  'WWW-Authenticate': header('O que faltou na autenticação (RFC 6750).', 'Bearer'),
  Allow: header('Os métodos que o caminho aceita.', 'GET, HEAD'),
  'Retry-After': header('Quantos segundos esperar antes de tentar de novo.', '5'),
}

const requestHeader = (name: string, withoutEffect: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', default: withoutEffect },
})

/** Request headers other than the token. Postman sends their defaults, which have no effect. */
const IF_NONE_MATCH = requestHeader(
  'If-None-Match',
  '',
  'O `ETag` de uma resposta guardada.',
)
const IF_MATCH = requestHeader(
  'If-Match',
  '*',
  'O `ETag` da pessoa como foi lida: se ela mudou desde então, a resposta é 412, e nada é ' +
    'alterado. Sem ele, vale a última alteração.',
)
const IDEMPOTENCY_KEY = requestHeader(
  'Idempotency-Key',
  '',
  'Durante uma semana, a mesma chave com o mesmo corpo devolve o que já foi criado; com ' +
    'outro corpo, a resposta é 422.',
)

/** The OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {}
  const schemas: Json = {}
  const responses: Json[] = []
  for (const resource of resources) {
    for (const [name, operation] of Object.entries(resource.operations)) {
      const [method = '', route = ''] = name.split(' ')
      const path = templateOf(route)
      const described = describeOperation(resource.tag, name, operation, schemas)
      responses.push(described.responses)
      paths[path] = { ...paths[path], [method.toLowerCase()]: described }
    }
  }

  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Informer Provisioning Service',
      version: packageJson.version,
      description: DESCRIPTION,
      contact: { name: 'O escritório que opera este serviço' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1' }],
    tags: resources.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas,
      securitySchemes: SECURITY_SCHEMES,
      headers: RESPONSE_HEADERS,
      responses: shareResponses(responses),
    },
  }
  // from the location of shared schemas in JSON Schema to that in OpenAPI
  const json = JSON.stringify(document).replaceAll('#/$defs/', '#/components/schemas/')
  return JSON.parse(json, describeNullable) as Json
}

/**
 * Returns the document path of a route: `/v1/changelogs/:changelog` becomes
 * `/changelogs/{changelog}`.
 */
export const templateOf = (route: string) =>
  route.replace(/^\/v1/, '').replace(/:(\w+)/g, '{$1}')

function describeOperation(
  tag: string,
  route: string,
  operation: Operation,
  schemas: Json,
) {
  const { query, body, cache, takesIfMatch, takesIdempotencyKey } = operation
  const parameters = [
    ...pathParametersOf(route).map(({ name, description, isInteger }) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: isInteger
        ? { type: 'integer', minimum: 1 }
        : { type: 'string', format: 'uuid' },
    })),
    ...(query ? queryParameters(query, schemas) : []),
    ...(cache ? [IF_NONE_MATCH] : []),
    ...(takesIfMatch ? [IF_MATCH] : []),
    ...(takesIdempotencyKey ? [IDEMPOTENCY_KEY] : []),
  ]
  const isMergePatch = route.startsWith('PATCH')
  const bodySchema = body && bodySchemaOf(body.schema, isMergePatch, schemas)
  return {
    operationId: operation.id,
    tags: [tag],
    summary: operation.summary,
    description: [operation.description, scopeSentence(operation)]
      .filter(Boolean)
      .join(' '),
    security: securityOf(operation),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body && {
      required: !body.isOptional,
      content: { 'application/json': { schema: bodySchema, example: body.example } },
    },
    responses: responsesOf(route, operation, schemas),
  }
}

function queryParameters(query: NonNullable<Operation['query']>, schemas: Json): Json[] {
  const { properties } = jsonSchemaOf(query, 'input', schemas) as {
    properties: Record<string, Json>
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    if (!description) throw new Error(`no description of the parameter ${name}`)
    return { name, in: 'query', description, schema }
  })
}
