import { exampleOf, type Json, jsonSchemaOf } from './json-schema.ts'
import { errorsOf } from './operations.ts'
import type { Operation } from '#openapi/operation.ts'
import { errorBody, ValidationError } from '#openapi/schemas.ts'

const DESCRIPTIONS: Record<number, string> = {
  400: 'O corpo não é um objeto JSON.',
  401: 'Sem token, ou com token ou credenciais inválidos.',
  403: 'Sem permissão.',
  404: 'Não encontrado.',
  409: 'O estado do registro não permite a operação.',
  405: 'O caminho existe, mas não aceita este método.',
  412: 'O registro mudou desde que foi lido.',
  413: 'O corpo é grande demais.',
  415: 'O corpo não é application/json.',
  429: 'Muitas tentativas.',
  500: 'Erro interno do serviço.',
  502: 'O repositório git não respondeu.',
  503: 'O serviço está temporariamente indisponível.',
}

const UNCACHED = ['Cache-Control', 'X-Request-Id']

/** All responses of an operation, by status. */
export function responsesOf(route: string, operation: Operation, schemas: Json): Json {
  const takesInput = operation.body ?? operation.query
  return {
    ...successResponses(operation, schemas),
    ...errorResponses(route, operation, schemas),
    ...(takesInput && {
      422: describe(
        'Os dados são inválidos.',
        UNCACHED,
        jsonSchemaOf(ValidationError, 'output', schemas),
      ),
    }),
  }
}

function successResponses(
  { response, status = 200, cache, hasEntityTag }: Operation,
  schemas: Json,
): Json {
  const headers = {
    always: ['Cache-Control', 'ETag'],
    published: [...UNCACHED, 'ETag'],
    never: [...UNCACHED, ...(hasEntityTag ? ['ETag'] : [])],
  }[cache ?? 'never']
  const schema = jsonSchemaOf(response, 'output', schemas)
  const example = exampleOf(schema, schemas)
  const success = { [status]: describe('Sucesso.', headers, schema, example) }
  if (!cache) return success

  const notModified = {
    description: 'A versão que o cliente tem é a atual.',
    headers: headerRefs(headers),
  }
  return { ...success, 304: notModified }
}

function errorResponses(route: string, operation: Operation, schemas: Json): Json {
  const errors = errorsOf(route, operation)
  const responses: Json = {}
  for (const [status, ofStatus] of Map.groupBy(errors, ({ status }) => status)) {
    const messages = [...new Set(ofStatus.map(({ message }) => message))]
    responses[status] = describe(
      DESCRIPTIONS[status] ?? '',
      [...UNCACHED, ...new Set(ofStatus.flatMap(({ headers }) => headers))],
      jsonSchemaOf(errorBody(messages), 'output', schemas),
    )
  }
  return responses
}

function describe(
  description: string,
  headers: string[],
  schema: Json,
  example?: unknown,
): Json {
  return {
    description,
    headers: headerRefs(headers),
    content: { 'application/json': { schema, example } },
  }
}

const headerRefs = (names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
