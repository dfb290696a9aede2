import { createMiddleware } from 'hono/factory'
import { waitUntil } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import { errors } from '#http/response/errors.ts'
import { Queue } from '#security/hashing-queue.ts'

/** Maximum requests of one isolate whose password waits for its hash. */
const MAX_WAITING = 20

const waiting = new Queue()

/** After `jsonBody`: limits the requests with a password. @throws {ApiError} 503 over the limit */
export const limitHashing = createMiddleware<AppEnv>(async (c, next) => {
  const { password, current_password } = await c.req.json<Record<string, unknown>>()
  if (password == null && current_password == null) return next()
  if (waiting.length >= MAX_WAITING) throw errors.serviceUnavailable()

  const place = waiting.join()
  const done = next().finally(() => waiting.leave(place))
  waitUntil(c, done) // a client that disconnects makes place as soon as its hash is done
  await done
})
