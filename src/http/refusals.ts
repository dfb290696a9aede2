import type { Context } from 'hono'
import { RefusedError } from '../database/transactions.ts'
import type { AppEnv } from './app-env.ts'
import { type FieldErrors, ValidationError } from './errors.ts'
import type { CallerEnv } from './middleware/auth.ts'

/**
 * The errors that only the database can find, in the valid fields of a body. It runs after the
 * guard and the schema of its route.
 */
export type BodyCheck<Body, RouteEnv extends AppEnv = CallerEnv> = (
  fields: Partial<Body>,
  c: Context<RouteEnv>,
) => Promise<FieldErrors>

/** The messages of some fields. */
export const messagesOf = <Field extends string>(
  fields: Field[],
  messages: Record<Field, string>,
): FieldErrors => Object.fromEntries(fields.map((field) => [field, [messages[field]]]))

/** Handles a write that the database refused, as a rejection handler: throws another error. */
export const ifRefused =
  (toError: (refused: RefusedError) => Error | Promise<Error>) =>
  async (error: unknown): Promise<never> => {
    throw error instanceof RefusedError ? await toError(error) : error
  }

/**
 * Handles a write that was refused although its body had passed the check: another request was
 * faster, and a second check finds out in what.
 */
export const checkAgain = <Body, RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  check: BodyCheck<Body, RouteEnv>,
  body: Partial<Body>,
) =>
  ifRefused(async (refused) => {
    const found = await check(body, c)
    return Object.keys(found).length > 0 ? new ValidationError(found) : refused
  })
