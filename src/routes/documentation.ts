import { createMiddleware } from 'hono/factory'
import { Hono } from 'hono/tiny'
import favicon from '../../.wrangler/docs/favicon-32x32.png.gz.bin'
import page from '../../.wrangler/docs/index.html.gz.bin'
import openApi from '../../.wrangler/docs/openapi.json.gz.bin'
import start from '../../.wrangler/docs/start.js.gz.bin'
import viewer from '../../.wrangler/docs/swagger-ui-bundle.js.gz.bin'
import styles from '../../.wrangler/docs/swagger-ui.css.gz.bin'
import { acceptsHtml } from '../http/accepts-html.ts'
import type { AppEnv } from '../http/app-env.ts'
import { isNotModified } from '../http/cacheable.ts'
import { errors } from '../http/errors.ts'
import { gzippedResponse } from '../http/gzip.ts'

/** The page loads nothing from other hosts; the viewer sets inline styles. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Files that the page loads. */
const PAGE_FILES = new Map([
  ['start.js', { body: start, type: 'text/javascript; charset=utf-8' }],
  ['swagger-ui.css', { body: styles, type: 'text/css; charset=utf-8' }],
  ['swagger-ui-bundle.js', { body: viewer, type: 'text/javascript; charset=utf-8' }],
  ['favicon-32x32.png', { body: favicon, type: 'image/png' }],
])

/** The OpenAPI document and a page that shows it. scripts/assets.ts generates and compresses both. */
export const documentation = new Hono<AppEnv>()
  .get('/openapi.json', (c) =>
    gzippedResponse(c, openApi, { 'Content-Type': 'application/json' }),
  )
  .get('/docs', (c) =>
    gzippedResponse(c, page, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PAGE_POLICY,
    }),
  )
  .get('/docs/:file', (c) => {
    const file = PAGE_FILES.get(c.req.param('file'))
    if (!file) throw errors.routeNotFound()
    const etag = `W/"${c.env.VERSION.id}"` // they change only with the version
    const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag }
    if (isNotModified(c.req.raw, etag))
      return c.body(null, 304, { ...headers, Vary: 'Accept-Encoding' })
    return gzippedResponse(c, file.body, { 'Content-Type': file.type, ...headers })
  })

/** Redirects browsers from the root to the page; for other clients the root is a 404. */
export const redirectToDocs = createMiddleware<AppEnv>(async (c, next) => {
  if (acceptsHtml(c)) return c.redirect('/v1/docs')
  await next()
})
