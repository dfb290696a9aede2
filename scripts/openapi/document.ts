import packageJson from '../../package.json' with { type: 'json' }
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts'
import { type Json, jsonSchemaOf } from './json-schema.ts'
import type { Operation, Resource } from './operation.ts'
import { resources } from './operations.ts'
import { responsesOf } from './responses.ts'

const DESCRIPTION =
  'Consulta sigilosa de informantes na provisão de uma sede. Todas as respostas são JSON.\n\n' +
  'Um texto enviado é aparado e normalizado (NFC) antes de ser validado: os limites valem para o que resta, ' +
  'em pontos de código. Senha e CPF valem como enviados.'

/** Parameters shared by lists. */
const LIST_PARAMETERS: Record<string, string> = {
  search: 'Parte do texto procurado, sem distinção de maiúsculas e acentos: `conego` encontra `Cônego`.',
  active: 'Só os ativos, ou só os inativos.',
  page: 'O número da página; por padrão, 1.',
  per_page: 'Itens por página; por padrão, 12.',
}

const SECURITY = {
  public: [],
  optional: [{}, { token: [] }],
  user: [{ token: [] }],
  administrator: [{ token: [] }],
}

/** The OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {}
  const schemas: Json = {}
  for (const resource of resources) {
    for (const [name, operation] of Object.entries(resource.operations)) {
      const [method = '', route = ''] = name.split(' ')
      const path = templateOf(route)
      const described = describeOperation(resource, method, path, operation, schemas)
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
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: Object.fromEntries(
        Object.entries(RESPONSE_HEADERS).map(([name, { description, example }]) => [
          name,
          { description, schema: { type: 'string' }, example },
        ]),
      ),
    },
  }
  // from the location of shared schemas in JSON Schema to that in OpenAPI
  return JSON.parse(JSON.stringify(document).replaceAll('#/$defs/', '#/components/schemas/')) as Json
}

/** The document path of a route: `/v1/changelogs/:changelog` becomes `/changelogs/{changelog}`. */
export const templateOf = (route: string) => route.replace(/^\/v1/, '').replace(/:(\w+)/g, '{$1}')

function describeOperation(
  { tag, pathParameters, hasIntegerIds }: Resource,
  method: string,
  path: string,
  operation: Operation,
  schemas: Json,
): Json {
  const { id, summary, description, access, query, body, cache, takesIdempotencyKey } = operation
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      description: descriptionOf(name, pathParameters),
      schema: hasIntegerIds ? { type: 'integer', minimum: 1 } : { type: 'string', format: 'uuid' },
    })),
    ...(query ? queryParameters(query, schemas) : []),
    ...(cache ? [requestHeader('If-None-Match')] : []),
    ...(takesIdempotencyKey ? [requestHeader('Idempotency-Key')] : []),
  ]
  const mediaTypes = ['application/json', ...(method === 'PATCH' ? ['application/merge-patch+json'] : [])]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: SECURITY[access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.isOptional,
            content: Object.fromEntries(
              mediaTypes.map((type) => [
                type,
                { schema: jsonSchemaOf(body.schema, 'input', schemas), example: body.example },
              ]),
            ),
          },
        }
      : {}),
    responses: responsesOf(operation, schemas),
  }
}

function queryParameters({ schema, parameters }: NonNullable<Operation['query']>, schemas: Json): Json[] {
  const { properties } = jsonSchemaOf(schema, 'input', schemas) as { properties: Record<string, Json> }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    description: descriptionOf(name, { ...LIST_PARAMETERS, ...parameters }),
    schema: property,
  }))
}

function descriptionOf(name: string, descriptions: Record<string, string> = {}): string {
  const description = descriptions[name]
  if (!description) throw new Error(`no description of the parameter ${name}`)
  return description
}

const requestHeader = (name: keyof typeof REQUEST_HEADERS) => ({
  name,
  in: 'header',
  description: REQUEST_HEADERS[name],
  schema: { type: 'string' },
})
