import { getPath } from 'hono/utils/url'

/**
 * The path for routing. The samples of the specification also write an `/api` segment before or after the version;
 * a trailing slash is tolerated.
 */
export function canonicalPath(request: Request): string {
  return getPath(request)
    .replace(/^(?:\/v1\/api|\/api\/v1)(?=\/)/, '/v1')
    .replace(/(?<=[^/])\/$/, '') // not of two: the router would accept the other
}
