import { createMiddleware } from 'hono/factory'
import { isCacheable } from './cacheable.ts'
import type { AppEnv } from '#http/app-env.ts'

/**
 * The headers that OWASP's REST Security Cheat Sheet asks of an API. `hono/secure-headers` would
 * add seven others. A page sets a Content-Security-Policy of its own.
 */
const SECURITY_HEADERS = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
})

/**
 * Sets the headers of every response. Responses are `no-store` unless the handler made them
 * cacheable, and errors always are: a cache could serve one user's response to another. A cacheable
 * response carries no request id, which a cache would repeat.
 */
export const responseHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const { headers } = c.res
  for (const [name, value] of SECURITY_HEADERS) {
    if (!headers.has(name)) headers.set(name, value)
  }
  if (isCacheable(c.res)) return
  headers.set('Cache-Control', 'no-store')
  headers.set('X-Request-Id', c.get('requestId'))
})
