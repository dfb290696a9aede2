import { Hono } from 'hono/tiny'
import { ping } from '../database/client.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { ServiceResponses } from './health.openapi.ts'

/** Whether the service and its database respond, and the deployed version (its id at Cloudflare). */
export const health = new Hono<AppEnv>().get('/', async (c) => {
  await ping(c.get('db'))
  return c.json({
    success: true,
    data: { status: 'ok', version: c.env.VERSION.id },
  } satisfies ServiceResponses['GET /v1/health'])
})
