import type * as z from 'zod'
import { type ApiError, errors } from '../../src/http/errors.ts'

export type ErrorName = keyof typeof errors

/** What is said of one route. What follows from it (errors, headers, an example of a 422) is added in the document. */
export type Operation = {
  id: string
  summary: string
  description: string
  /** `optional`: a token may be sent, and must then be valid. */
  access: 'public' | 'optional' | 'user' | 'administrator'
  /** The schema that validates the query, what its own parameters mean, and an invalid query, whose 422 is the example. */
  query?: { schema: z.core.$ZodType; parameters?: Record<string, string>; invalid: Record<string, string> }
  /** The schema that validates the body, a valid body, and an invalid one, whose 422 is the example. */
  body?: { schema: z.core.$ZodType; example: object; invalid: object; isOptional?: boolean }
  /** Of success; its example is made from those of its schema. */
  response: z.ZodType
  status?: 200 | 201 | 202
  /** Whether all responses of success may be cached, or only those without drafts. */
  cache?: 'always' | 'published'
  takesIdempotencyKey?: boolean
  /** What may go wrong beside what follows from the rest. */
  errors?: ErrorName[]
}

/** The routes of one tag, by method and path as the app's own table writes them. */
export type Resource = {
  tag: string
  description: string
  /** What the parameters of its paths identify. */
  pathParameters?: Record<string, string>
  operations: Record<string, Operation>
}

/** The name of every error that an operation may respond with, in the order in which they are checked. */
function errorNamesOf({ access, body, errors: own = [] }: Operation): ErrorName[] {
  return [
    'methodNotAllowed',
    ...(access === 'public' ? [] : (['missingToken', 'invalidToken'] as const)),
    ...(access === 'administrator' ? (['administratorsOnly'] as const) : []),
    ...(body ? (['payloadTooLarge', 'unsupportedMediaType', 'invalidJson', 'notJsonObject'] as const) : []),
    ...own,
    'internalError',
    'serviceUnavailable',
  ]
}

/** Every error that an operation may respond with. */
export function errorsOf(operation: Operation) {
  return errorNamesOf(operation).map((name) => {
    const create = errors[name] as (detail: never) => ApiError
    const { status, message, headers } = create([] as never) // the details are of the headers' values alone
    return { name, status, message, headers: Object.keys(headers) }
  })
}
