import { createMiddleware } from 'hono/factory'
import { waitUntil } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import { errors } from '#http/response/errors.ts'

/** Maximum passwords that wait for their hash in one isolate. */
const MAX_WAITING = 20
/** The platform ends a request whose client has gone after so long, without a notice. */
const MAX_WAITING_MS = 30_000

/** When each waiting request ends at the latest, in milliseconds since 1970, by its id. */
const waiting = new Map<string, number>()

/** After `jsonBody`: limits the requests with a password. @throws {ApiError} 503 over the limit */
export const limitHashing = createMiddleware<AppEnv>(async (c, next) => {
  const { password, current_password } = await c.req.json<Record<string, unknown>>()
  if (password == null && current_password == null) return next()

  const now = Date.now()
  for (const [id, end] of waiting) if (end <= now) waiting.delete(id)
  if (waiting.size >= MAX_WAITING) throw errors.serviceUnavailable()

  const id = c.get('requestId')
  waiting.set(id, now + MAX_WAITING_MS)
  const done = next().finally(() => waiting.delete(id))
  waitUntil(c, done) // a client that disconnects makes place as soon as its hash is done
  await done
})
