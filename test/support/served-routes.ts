import { Hono } from 'hono'
import type { AppEnv } from '#http/app-env.ts'
import { siteMap } from '#site-map.ts'

const app = new Hono<AppEnv>()
for (const mount of new Set(siteMap.values())) await mount(app)

/** The routes of the whole site map. */
export const servedRoutes = app.routes
