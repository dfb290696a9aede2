import { Hono } from 'hono'
import { version } from '../../package.json'
import type { ServiceResponses } from './health.openapi.ts'
import { ping } from '#database/client.ts'
import type { AppEnv } from '#http/app-env.ts'

/**
 * Whether the service and its database respond, and what is deployed: the version and its id at
 * Cloudflare.
 */
export const health = new Hono<AppEnv>().get('/', async (c) => {
  await ping(c.get('db'))
  return c.json({
    success: true,
    data: { status: 'ok', version, deployment: c.env.VERSION.id },
  } satisfies ServiceResponses['GET /v1/health'])
})
