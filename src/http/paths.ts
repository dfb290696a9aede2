import type { Context } from 'hono'
import { getPath } from 'hono/utils/url'

/** The path for routing. The specification also writes `/api` before or after the version. */
export function canonicalPath(request: Request): string {
  const path = getPath(request).replace(/^(?:\/v1\/api|\/api\/v1)(?=\/)/, '/v1')
  // one trailing slash is tolerated; not two, of which the router would tolerate the other
  return path.length > 1 && path.endsWith('/') && !path.endsWith('//')
    ? path.slice(0, -1)
    : path
}

/** Reads a UUID of the path, in lower case: UUIDs are case-insensitive. */
export const uuidParam =
  (name: string) =>
  (c: Context): string =>
    c.req.param(name)?.toLowerCase() ?? ''
