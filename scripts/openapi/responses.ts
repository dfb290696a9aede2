import { safeParse } from 'zod'
import { fieldErrors } from '../../src/http/middleware/validation.ts'
import { exampleOf, type Json, jsonSchemaOf } from './json-schema.ts'
import { errorsOf, type Operation } from './operation.ts'
import { errorBody, ValidationError } from './schemas.ts'

const DESCRIPTIONS: Record<number, string> = {
  400: 'O corpo não é um objeto JSON.',
  401: 'Sem token ou com token inválido, ou credenciais inválidas.',
  403: 'Sem permissão.',
  404: 'Não encontrado.',
  405: 'O caminho existe, mas não com este método.',
  413: 'O corpo é grande demais.',
  415: 'O corpo não é application/json.',
  429: 'Tentativas demais.',
  500: 'Um erro do serviço.',
  502: 'O repositório git não respondeu.',
  503: 'O banco de dados não responde agora.',
}

const ALWAYS = ['Cache-Control', 'X-Request-Id']

/** Every response of an operation, by status. */
export function responsesOf(operation: Operation, schemas: Json): Json {
  const { access, response, status = 200, cache } = operation
  const uncached = [...ALWAYS, ...(access === 'public' ? [] : ['x-d1-bookmark'])]
  const headers = {
    always: ['Cache-Control', 'ETag'],
    published: [...uncached, 'ETag'],
    never: uncached,
  }[cache ?? 'never']
  const responses: Json = {
    [status]: responseOf('Sucesso.', headers, jsonSchemaOf(response, 'output', schemas), {
      sucesso: { value: exampleOf(jsonSchemaOf(response, 'output', schemas), schemas) },
    }),
  }
  if (cache) responses[304] = { description: 'O que o cliente tem ainda vale.', headers: headerRefs(headers) }
  for (const [status, errors] of Map.groupBy(errorsOf(operation), ({ status }) => status)) {
    const messages = [...new Set(errors.map(({ message }) => message))]
    const own = [...(status === 405 ? ALWAYS : uncached), ...(errors[0]?.headers ?? [])] // 405 precedes any token
    responses[status] = responseOf(
      DESCRIPTIONS[status] ?? '',
      own,
      jsonSchemaOf(errorBody(messages), 'output', schemas),
      Object.fromEntries(errors.map(({ name, message }) => [name, { value: { success: false, message } }])),
    )
  }
  const invalid = invalidExampleOf(operation)
  if (invalid)
    responses[422] = responseOf(
      'Os dados são inválidos.',
      uncached,
      jsonSchemaOf(ValidationError, 'output', schemas),
      { invalido: { value: invalid } },
    )
  return responses
}

/** The 422 of the invalid example of a body or query, made by the schema itself. */
function invalidExampleOf({ body, query }: Operation): Json | null {
  const input = body ?? query
  if (!input) return null
  const { error } = safeParse(input.schema, input.invalid)
  if (!error) throw new Error(`${JSON.stringify(input.invalid)} is valid`)
  return { message: 'Os dados fornecidos são inválidos.', errors: fieldErrors(error) }
}

function responseOf(description: string, headers: string[], schema: Json, examples: Json): Json {
  return { description, headers: headerRefs(headers), content: { 'application/json': { schema, examples } } }
}

const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
