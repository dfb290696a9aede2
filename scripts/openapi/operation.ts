import type * as z from 'zod'
import { type ApiError, errors } from '../../src/http/errors.ts'

type ErrorName = keyof typeof errors

/** The description of a route. Parameters, errors, headers and the example of a 422 are derived from it. */
export type Operation = {
  id: string
  summary: string
  description: string
  /** By default only administrators. `optional`: the token may be omitted, but must be valid. */
  access?: 'public' | 'optional' | 'user'
  query?: z.core.$ZodType
  /** The body schema, a valid body, and an invalid one for the example of a 422, by default an empty one. */
  body?: { schema: z.core.$ZodType; example: object; invalid?: object; isOptional?: boolean }
  /** The success response; its example is composed from its schema. */
  response: z.ZodType
  /** 201 also means that an `Idempotency-Key` is taken. */
  status?: 200 | 201 | 202
  /** Whether all success responses are cacheable, or only those without drafts. */
  cache?: 'always' | 'published'
  /** Errors that are not derived. */
  errors?: ErrorName[]
}

/** The routes of one tag, by method and path as in the route table of the app. */
export type Resource = { tag: string; description: string; operations: Record<string, Operation> }

type PathParameter = { description: string; notFound: ErrorName; isInteger?: boolean }

/** What the parameters of paths identify, and the error where there is none. */
const PATH_PARAMETERS: Record<string, PathParameter> = {
  administrator: {
    description: 'O identificador do administrador.',
    notFound: 'administratorNotFound',
  },
  informer: { description: 'O identificador do informante.', notFound: 'informerNotFound' },
  process: { description: 'O identificador do processo.', notFound: 'processNotFound' },
  group: { description: 'O identificador do grupo.', notFound: 'groupNotFound' },
  questionnaire: {
    description: 'O identificador do questionário.',
    notFound: 'questionnaireNotFound',
  },
  changelog: { description: 'O identificador do registro.', notFound: 'entryNotFound' },
  category: { description: 'O número da função.', notFound: 'categoryNotFound', isInteger: true },
  diocese: { description: 'O número da diocese.', notFound: 'dioceseNotFound', isInteger: true },
  treatment_pronoun: {
    description: 'O número do pronome de tratamento.',
    notFound: 'treatmentPronounNotFound',
    isInteger: true,
  },
}

/** The path parameters of a route, `GET /v1/informers/:informer`, in order. */
export const pathParametersOf = (route: string) =>
  Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => ({
    name,
    ...(PATH_PARAMETERS[name] as PathParameter),
  }))

/** The names of all errors of an operation, in the order of their checks. */
const errorNamesOf = (
  route: string,
  { access, body, status, errors: own = [] }: Operation,
): ErrorName[] => [
  'methodNotAllowed',
  ...(access === 'public' ? [] : (['missingToken', 'invalidToken'] as const)),
  ...(access ? [] : (['administratorsOnly'] as const)),
  ...(body
    ? (['payloadTooLarge', 'unsupportedMediaType', 'invalidJson', 'notJsonObject'] as const)
    : []),
  ...pathParametersOf(route).map(({ notFound }) => notFound),
  ...own,
  ...(status === 201 ? (['createdRecordDeleted'] as const) : []),
  'internalError',
  'serviceUnavailable',
]

/** All errors of an operation. */
export const errorsOf = (route: string, operation: Operation) =>
  errorNamesOf(route, operation).map((name) => {
    const create = errors[name] as (detail: never) => ApiError
    const { status, message, headers } = create([] as never) // arguments only affect header values
    return { name, status, message, headers: Object.keys(headers) }
  })
