import type * as z from 'zod'
import type { RequiredScope } from '#domain/api-tokens.ts'
import { type ApiError, errors } from '#http/response/errors.ts'

type ErrorFactory = () => ApiError

/**
 * The description of a route. Parameters, common errors and headers are derived from it.
 */
export type Operation = {
  id: string
  summary: string
  description: string
  /** Whether administrators without a second factor may use it even if one is required. */
  isOpenWithoutSecondFactor?: boolean
  query?: z.core.$ZodType
  /** The body schema, and a valid body. */
  body?: {
    schema: z.core.$ZodType
    example: object
    isOptional?: boolean
  }
  /** The success response; its example is composed from its schema. */
  response: z.ZodType
  /** 201 implies that the operation accepts an `Idempotency-Key`, unless it `isUnrepeatable`. */
  status?: 200 | 201 | 202
  isUnrepeatable?: true
  /** Whether the response has the `ETag` of a person. */
  hasEntityTag?: boolean
  /** Whether it looks at `If-Match`. */
  takesIfMatch?: boolean
  /** Whether all success responses are cacheable, or only those without drafts. */
  cache?: 'always' | 'published'
  /** Errors that are not derived. */
  errors?: ErrorFactory[]
} & Access

/** Who may use a route. One that accepts a token must have a scope. */
type Access =
  | { access: 'public'; scope?: never }
  | {
      /** By default only administrators. `optional`: the token may be omitted, but must be valid. */
      access?: 'optional' | 'user'
      /**
       * The scope that API tokens need, as the route's guard names it; `login` closes the route to
       * them, `any` needs none. If the token is optional, any API token is valid, and one with the
       * scope sees what administrators see.
       */
      scope: RequiredScope
    }

/** The resource that a path parameter identifies, and its 404. */
export type PathParameter = {
  description: string
  notFound: ErrorFactory
  isInteger?: boolean
}

/** The routes of one tag, by method and path as in the route table of the app. */
export type Resource = {
  tag: string
  description: string
  pathParameters: Record<string, PathParameter>
  operations: Record<string, Operation>
}

/** Returns all errors of an operation, in the order of their checks. */
export function errorsOf(operation: Operation, pathParameters: PathParameter[]) {
  const {
    access,
    body,
    status,
    isUnrepeatable,
    takesIfMatch,
    errors: ownErrors = [],
  } = operation
  const isGuarded = access === undefined || access === 'user'
  const factories: ErrorFactory[] = [
    () => errors.methodNotAllowed([]),
    ...(access === 'public' ? [] : [errors.missingToken, errors.invalidToken]),
    // an API token needs a second factor everywhere
    ...(isGuarded ? [errors.secondFactorRequired] : []),
    ...(isGuarded ? [() => errors.insufficientScope('login')] : []),
    ...(access ? [] : [errors.administratorsOnly]),
    ...(body ? [errors.payloadTooLarge, errors.unsupportedMediaType] : []),
    ...(body ? [errors.invalidJson, errors.notJsonObject] : []),
    ...pathParameters.map(({ notFound }) => notFound),
    ...(takesIfMatch ? [errors.changedSinceRead] : []),
    ...ownErrors,
    ...(status === 201 && !isUnrepeatable ? [errors.createdRecordDeleted] : []),
    errors.internalError,
    errors.serviceUnavailable,
  ]
  return factories.map((create) => {
    const { status, message, headers } = create()
    return { status, message, headers: Object.keys(headers) }
  })
}
