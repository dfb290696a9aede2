import type { Context } from 'hono'
import { RefusedError } from '#database/transactions.ts'
import type { AppEnv } from '#http/app-env.ts'
import type { CallerEnv } from '#http/guards.ts'
import { type FieldErrors, ValidationError } from '#http/response/errors.ts'

/**
 * The errors that only the database can find, in the valid fields of a body. It runs after the
 * guard and the schema of its route.
 */
export type BodyCheck<Body, RouteEnv extends AppEnv = CallerEnv> = (
  fields: Partial<Body>,
  c: Context<RouteEnv>,
) => Promise<FieldErrors>

/** Returns the messages of some fields. */
export const messagesOf = <Field extends string>(
  fields: Field[],
  messages: Record<Field, string>,
): FieldErrors => Object.fromEntries(fields.map((field) => [field, [messages[field]]]))

/** Returns a rejection handler that throws another error for a write that the database refused. */
export const ifRefused =
  (toError: (refused: RefusedError) => Error | Promise<Error>) =>
  async (error: unknown): Promise<never> => {
    throw error instanceof RefusedError ? await toError(error) : error
  }

/**
 * Checks a body again, which a concurrent request may have made invalid.
 * @throws {ValidationError}
 */
export async function assertValid<Body, RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  check: BodyCheck<Body, RouteEnv>,
  body: Partial<Body>,
): Promise<void> {
  const found = await check(body, c)
  if (Object.keys(found).length > 0) throw new ValidationError(found)
}

/**
 * Returns a rejection handler for a refused write whose body had passed the check: a concurrent
 * request won, and a second check finds the fields.
 */
export const checkAgain = <Body, RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  check: BodyCheck<Body, RouteEnv>,
  body: Partial<Body>,
) =>
  ifRefused(async (refused) => {
    await assertValid(c, check, body)
    return refused
  })
