import type { Context } from 'hono'
import type { Responses } from '#routes/resources.ts'

/** The members of a success response beside `success`. */
type Members<Response> = Response extends unknown ? Omit<Response, 'success'> : never

/**
 * Responds with the success envelope, as the description of a route (openapi.ts) has it:
 * `reply<'GET /v1/cover'>(c, { data })`.
 */
export const reply = <Route extends keyof Responses = never>(
  c: Pick<Context, 'json'>,
  members: Members<Responses[Route]>,
): Response => c.json({ success: true, ...members })
