import type { Context } from 'hono'

/** Matches no route. */
const UNKNOWN = '/%'

/** Returns whether a path is one of the API. All others are pages, or unknown. */
export const isOfApi = (path: string): boolean => /^\/(?:api\/)?v1(?:\/|$)/.test(path)

/**
 * Returns the path for routing, decoded, and without an `/api` beside the version
 * (docs/rules.md#addresses). A target without a path, such as that of `OPTIONS *`, and one whose
 * percent-encoding is not UTF-8 get a path that no route has. Hono's own `getPath` would decode
 * the sequences of such a path one by one.
 */
export function canonicalPath({ url }: Pick<Request, 'url'>): string {
  const target = /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ''
  const path = decodePath(target)?.replace(/^(?:\/v1\/api|\/api\/v1)(?=\/)/, '/v1')
  if (!path) return isOfApi(target) ? `/v1${UNKNOWN}` : UNKNOWN

  // one trailing slash is allowed; of two, the router would accept the second
  return path.length > 1 && path.endsWith('/') && !path.endsWith('//')
    ? path.slice(0, -1)
    : path
}

/** Decodes all but reserved characters, which parameters decode. Returns null if it is not UTF-8. */
function decodePath(target: string): string | null {
  try {
    return decodeURI(target.replaceAll('%25', '%2525'))
  } catch {
    return null
  }
}

/**
 * Returns the parameters of a query. Hono's parser would decode all of it anew for each name, and
 * drop some; `URL` refuses some hosts that arrive.
 */
export const queryOf = ({ url }: Pick<Request, 'url'>): URLSearchParams =>
  new URLSearchParams(/\?[^#]*/.exec(url)?.[0])

/** Reads a UUID of the path, in lower case: UUIDs are case-insensitive. */
export const uuidParam =
  (name: string) =>
  (c: Pick<Context, 'req'>): string =>
    c.req.param(name)?.toLowerCase() ?? ''
