import { Hono } from 'hono'
import { version } from '../../package.json'
import { ping } from '#database/client.ts'
import type { AppEnv } from '#http/app-env.ts'
import { reply } from '#routes/reply.ts'

/**
 * Whether the service and its database respond, and what is deployed: the version and its id at
 * Cloudflare.
 */
export const health = new Hono<AppEnv>().get('/', async (c) => {
  await ping(c.get('db'))
  return reply<'GET /v1/health'>(c, {
    data: { status: 'ok', version, deployment: c.env.VERSION.id },
  })
})
