import type * as z from 'zod'
import type { RequiredScope } from '#domain/api-tokens.ts'

/** Makes an error response, as a handler throws it. */
export type ErrorFactory = () => {
  status: number
  message: string
  headers: Record<string, string>
}

/**
 * The description of a route. Parameters, common errors and headers are derived from it.
 */
export type Operation = {
  id: string
  summary: string
  description: string
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
