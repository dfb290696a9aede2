import type { Context } from 'hono'
import type { Responses } from '#routes/resources.ts'

/** The members of a success response beside `success`. */
type Members<Response> = Response extends unknown ? Omit<Response, 'success'> : never

/** Responds with the success envelope, as the description of the route (openapi.ts) has it. */
export const reply = <Route extends keyof Responses>(
  c: Pick<Context, 'json'>,
  _route: Route,
  members: Members<Responses[Route]>,
): Response => c.json({ success: true, ...members })
