import type { Context } from 'hono'
import { getPath } from 'hono/utils/url'

/** Returns the path for routing, without an `/api` beside the version (docs/rules.md#addresses). */
export function canonicalPath(request: Request): string {
  const path = getPath(request).replace(/^(?:\/v1\/api|\/api\/v1)(?=\/)/, '/v1')
  // one trailing slash is allowed; of two, the router would accept the second
  return path.length > 1 && path.endsWith('/') && !path.endsWith('//')
    ? path.slice(0, -1)
    : path
}

/** Reads a UUID of the path, in lower case: UUIDs are case-insensitive. */
export const uuidParam =
  (name: string) =>
  (c: Pick<Context, 'req'>): string =>
    c.req.param(name)?.toLowerCase() ?? ''
