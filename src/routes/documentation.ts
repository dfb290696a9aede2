import { type Context, Hono } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { errors } from '../http/errors.ts'

/** The page loads nothing from another host; the viewer writes styles into elements of its own. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/** What the page loads; not the page itself, which would come without its policy. */
const PAGE_FILE = /^[\w-]+\.(css|js|png)$/

/** The description of the interface, and a page that shows it: static assets, made by scripts/assets.ts. */
export const documentation = new Hono<AppEnv>()
  .get('/openapi.json', (c) => asset(c, '/v1/openapi.json', 'no-store'))
  .get('/docs', async (c) => {
    const page = await asset(c, '/v1/docs/', 'no-store')
    page.headers.set('Content-Security-Policy', PAGE_POLICY)
    return page
  })
  .get('/docs/:file', (c) => {
    if (!PAGE_FILE.test(c.req.param('file'))) throw errors.routeNotFound()
    return asset(c, `/v1/docs/${c.req.param('file')}`, 'public, max-age=3600')
  })

async function asset(c: Context<AppEnv>, path: string, cacheControl: string): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url))
  if (!found.ok) throw errors.routeNotFound()
  const contentType = found.headers.get('Content-Type') ?? 'application/octet-stream'
  return new Response(found.body, { headers: { 'Content-Type': contentType, 'Cache-Control': cacheControl } })
}
