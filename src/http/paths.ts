import { getPath } from 'hono/utils/url'

/**
 * The path for routing. The samples of the specification also write an `/api` segment before or after the version;
 * a trailing slash is tolerated.
 */
export function canonicalPath(request: Request): string {
  const path = getPath(request).replace(/^(?:\/v1\/api|\/api\/v1)(?=\/)/, '/v1')
  // not one of two: the router would tolerate the other
  return path.length > 1 && path.endsWith('/') && !path.endsWith('//') ? path.slice(0, -1) : path
}
