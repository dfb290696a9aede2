import type { Context } from 'hono'
import type { OptionalCallerEnv } from '#http/guards.ts'

/**
 * Lifetimes in seconds since the database was read: fresh, stale while it is read again, stale on
 * errors.
 */
export const MAX_AGE = 60
const STALE_WHILE_REVALIDATE = 60
export const STALE_IF_ERROR = 600

/** A read from the database, with the entity tag of its data. */
export type Read = {
  etag: string
  /** In milliseconds since 1970. */
  readAt: number
  /** Whether it was made for an earlier response. */
  isFromMemory?: boolean
}

/**
 * Lifetimes at Cloudflare's edge, which alone reads this header: the cron trigger purges what
 * changes (edge-cache.ts). A response from memory has none, because a purge may be older than it.
 */
const EDGE_CACHE_CONTROL =
  'public, max-age=3600, stale-while-revalidate=86400, stale-if-error=86400'

/** Returns the whole seconds since a read. */
export const ageInSeconds = (readAt: number): number =>
  Math.floor((Date.now() - readAt) / 1000)

/**
 * `Cache-Control` of a public response (RFC 9111; RFC 5861), with what is left of the lifetimes, so
 * that the list in memory, other caches and browsers together never exceed them.
 */
export function publicCacheControl(readAt: number): string {
  const age = ageInSeconds(readAt)
  const stale = Math.max(0, age - MAX_AGE)
  const maxAge = Math.max(0, MAX_AGE - age)
  const whileRevalidate = Math.max(0, STALE_WHILE_REVALIDATE - stale)
  const ifError = Math.max(0, STALE_IF_ERROR - stale)
  return (
    `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidate}, ` +
    `stale-if-error=${ifError}`
  )
}

/** Returns whether a handler has made its response cacheable; errors never are. */
export function isCacheable({ status, headers }: Response): boolean {
  const policy = headers.get('Cache-Control')
  return (status === 200 || status === 304) && policy !== null && policy !== 'no-store'
}

/**
 * Returns whether the client has the current version (`If-None-Match`, weak comparison: RFC 9110,
 * 13.1.2).
 */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const known = headers.get('If-None-Match')?.split(',').map(opaque) ?? []
  return known.includes('*') || known.includes(opaque(etag))
}

/**
 * Responds with cacheable JSON, or with 304 to a client that has it. An anonymous response is
 * public; that of a caller is private and revalidated every time.
 * @param tag names the responses that a change purges from the edge
 */
export function cacheableJson(
  c: Pick<Context<OptionalCallerEnv>, 'get' | 'req' | 'body' | 'json'>,
  tag: string,
  data: object,
  { etag, readAt, isFromMemory }: Read,
): Response {
  const isPublic = c.get('caller') === null
  const headers = {
    'Cache-Control': isPublic ? publicCacheControl(readAt) : 'private, no-cache',
    ...(isPublic &&
      !isFromMemory && { 'Cloudflare-CDN-Cache-Control': EDGE_CACHE_CONTROL }),
    'Cache-Tag': tag,
    ETag: etag,
    Vary: 'Authorization',
  }
  if (isNotModified(c.req.raw, etag)) return c.body(null, 304, headers)
  return c.json(data, 200, headers)
}
