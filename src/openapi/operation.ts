import * as z from 'zod'
import { page, success } from './schemas.ts'
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
export type Operation = Details & Access

type Details = {
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
  status?: 200 | 201 | 202
  /** Whether too many attempts are a 429. */
  isRateLimited?: true
  /** Whether the response has the `ETag` of a person. */
  hasEntityTag?: boolean
  /** Whether it looks at `If-Match`. */
  takesIfMatch?: boolean
  /** Whether it looks at `Idempotency-Key`, as what creates a record does. */
  takesIdempotencyKey?: boolean
  /** Whether all success responses are cacheable, or only those without drafts. */
  cache?: 'always' | 'published'
  /** Errors that are not derived. */
  errors?: ErrorFactory[]
}

/** Who may use a route. One that accepts a token must have a scope. */
type Access =
  | { access: 'public'; scope?: never }
  | {
      /** By default administrators. `optional`: the token may be omitted, but must be valid. */
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

// Each kind of operation, by what it responds with. One of no kind is a plain object.

type Particulars = Omit<Details, 'response'> & Access

/** Describes an operation that responds with a page of a list. */
export const list = <Item extends z.ZodType>(item: Item, particulars: Particulars) => ({
  ...particulars,
  response: page(item),
})

/** Describes an operation that responds with data alone, as most `GET`s do. */
export const show = <Data extends z.ZodType>(data: Data, particulars: Particulars) => ({
  ...particulars,
  response: success({ data }),
})

/** Describes an operation that responds with a message and what it changed. */
export const change = <Data extends z.ZodType, Message extends string>(
  data: Data,
  message: Message,
  particulars: Particulars,
) => ({ ...particulars, response: success({ data, message: z.literal(message) }) })

/** Describes an operation that responds with a message and what it created. */
export const create = <Data extends z.ZodType, Message extends string>(
  data: Data,
  message: Message,
  particulars: Particulars,
) => ({
  takesIdempotencyKey: true,
  ...change(data, message, particulars),
  status: 201 as const,
})

/** Describes an operation that responds with a message alone, as most `DELETE`s do. */
export const confirm = <Message extends string>(
  message: Message,
  particulars: Particulars,
) => ({ ...particulars, response: success({ message: z.literal(message) }) })
