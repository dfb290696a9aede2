import { type Context, Hono } from 'hono'
import page from '#generated/docs/index.html.gz.bin'
import openApi from '#generated/docs/openapi.json.gz.bin'
import start from '#generated/docs/start.js.gz.bin'
import styles from '#generated/docs/styles.css.gz.bin'
import viewer from '#generated/docs/swagger-ui-bundle.js.gz.bin'
import { gunzip } from '#gunzip.ts'
import type { AppEnv } from '#http/app-env.ts'
import { isNotModified } from '#http/response/cacheable.ts'
import { errors } from '#http/response/errors.ts'

/** The page loads nothing from other hosts. */
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Files that the page loads: one style sheet, and scripts. */
const PAGE_FILES = new Map([
  ['styles.css', styles],
  ['swagger-ui-bundle.js', viewer],
  ['start.js', start],
])

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/

/** Responds with gzipped bytes; clients without gzip get them decompressed. */
function gzippedResponse(
  c: Pick<Context, 'req'>,
  body: ArrayBuffer,
  ownHeaders: Record<string, string>,
): Response {
  const headers = { ...ownHeaders, Vary: 'Accept-Encoding' }
  if (ACCEPTS_GZIP.test(c.req.header('Accept-Encoding') ?? '')) {
    return new Response(body, {
      encodeBody: 'manual',
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    })
  }
  return new Response(gunzip(body), { headers })
}

/**
 * The OpenAPI document and a page that shows it. scripts/build/assets.ts generates and compresses
 * both.
 */
export const documentation = new Hono<AppEnv>()
  .get('/openapi.json', async (c) => {
    const document = await new Response(gunzip(openApi)).text()
    const server = `${c.get('settings').PUBLIC_URL ?? ''}/v1`
    return c.body(document.replace('"/v1"', JSON.stringify(server)), {
      headers: { 'Content-Type': 'application/json' },
    })
  })
  .get('/docs', (c) =>
    gzippedResponse(c, page, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PAGE_POLICY,
    }),
  )
  .get('/docs/:file', (c) => {
    const name = c.req.param('file')
    const file = PAGE_FILES.get(name)
    if (!file) throw errors.routeNotFound()
    const etag = `W/"${c.env.VERSION.id}"` // they change only with the version
    const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag }
    if (isNotModified(c.req.raw, etag)) {
      return c.body(null, 304, { ...headers, Vary: 'Accept-Encoding' })
    }
    const type = name.endsWith('css') ? 'css' : 'javascript'
    return gzippedResponse(c, file, {
      'Content-Type': `text/${type}; charset=utf-8`,
      ...headers,
    })
  })
