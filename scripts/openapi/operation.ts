import type * as z from 'zod'
import { type ApiError, errors } from '../../src/http/errors.ts'

type ErrorName = keyof typeof errors

/** The description of a route. Errors, headers and the example of a 422 are derived from it. */
export type Operation = {
  id: string
  summary: string
  description: string
  /** `optional`: the token may be omitted, but must be valid. */
  access: 'public' | 'optional' | 'user' | 'administrator'
  /** The query schema, the descriptions of its own parameters, and an invalid query for the example of a 422. */
  query?: { schema: z.core.$ZodType; parameters?: Record<string, string>; invalid: Record<string, string> }
  /** The body schema, a valid body, and an invalid one for the example of a 422. */
  body?: { schema: z.core.$ZodType; example: object; invalid: object; isOptional?: boolean }
  /** The success response; its example is composed from its schema. */
  response: z.ZodType
  status?: 200 | 201 | 202
  /** Whether all success responses are cacheable, or only those without drafts. */
  cache?: 'always' | 'published'
  takesIdempotencyKey?: boolean
  /** Errors that are not derived. */
  errors?: ErrorName[]
}

/** The routes of one tag, by method and path as in the route table of the app. */
export type Resource = {
  tag: string
  description: string
  /** Descriptions of the path parameters. */
  pathParameters?: Record<string, string>
  /** Whether the ids of paths are integers, and no UUIDs. */
  hasIntegerIds?: boolean
  operations: Record<string, Operation>
}

/** The names of all errors of an operation, in the order of their checks. */
function errorNamesOf({ access, body, takesIdempotencyKey, errors: own = [] }: Operation): ErrorName[] {
  return [
    'methodNotAllowed',
    ...(access === 'public' ? [] : (['missingToken', 'invalidToken'] as const)),
    ...(access === 'administrator' ? (['administratorsOnly'] as const) : []),
    ...(body ? (['payloadTooLarge', 'unsupportedMediaType', 'invalidJson', 'notJsonObject'] as const) : []),
    ...own,
    ...(takesIdempotencyKey ? (['createdRecordDeleted'] as const) : []),
    'internalError',
    'serviceUnavailable',
  ]
}

/** All errors of an operation. */
export function errorsOf(operation: Operation) {
  return errorNamesOf(operation).map((name) => {
    const create = errors[name] as (detail: never) => ApiError
    const { status, message, headers } = create([] as never) // arguments only affect header values
    return { name, status, message, headers: Object.keys(headers) }
  })
}
