import { createMiddleware } from 'hono/factory'
import { waitUntil } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import { errors } from '#http/response/errors.ts'

/**
 * Maximum passwords that wait for their hash in one isolate. Hashing blocks its thread, so all
 * other requests wait for them, some seconds at most.
 */
const MAX_WAITING = 20

let waiting = 0

/** After `jsonBody`: limits the requests with a password. @throws {ApiError} 503 over the limit */
export const limitHashing = createMiddleware<AppEnv>(async (c, next) => {
  const { password, current_password } = await c.req.json<Record<string, unknown>>()
  if (password == null && current_password == null) return next()
  if (waiting >= MAX_WAITING) throw errors.serviceUnavailable()

  waiting += 1
  const done = next().finally(() => {
    waiting -= 1
  })
  waitUntil(c, done) // otherwise a client that disconnects would be counted for ever
  await done
})
