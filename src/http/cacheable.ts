import type { Context } from 'hono'
import type { OptionalCallerEnv } from './middleware/auth.ts'

/**
 * Lifetimes in seconds since the database was read: fresh, stale while it is read again, stale on
 * errors.
 */
export const MAX_AGE = 60
const STALE_WHILE_REVALIDATE = 60
export const STALE_IF_ERROR = 600

/** What was read from the database: a version of it, and when, in milliseconds since 1970. */
export type Read = { etag: string; readAt: number }

/** A response that may be stored, by this isolate too. */
export type Cacheable = Pick<Read, 'readAt'> & { body: string }

/** Whole seconds since a read. */
export const ageInSeconds = (readAt: number): number =>
  Math.floor((Date.now() - readAt) / 1000)

/**
 * `Cache-Control` (RFC 9111; RFC 5861) with what is left of the lifetimes, so that memory, the
 * cache in front and browsers together never exceed them.
 */
export function cacheControl(scope: 'public' | 'private', readAt: number): string {
  const age = ageInSeconds(readAt)
  const stale = Math.max(0, age - MAX_AGE)
  const maxAge = Math.max(0, MAX_AGE - age)
  const whileRevalidate = Math.max(0, STALE_WHILE_REVALIDATE - stale)
  const ifError = Math.max(0, STALE_IF_ERROR - stale)
  return (
    `${scope}, max-age=${maxAge}, stale-while-revalidate=${whileRevalidate}, ` +
    `stale-if-error=${ifError}`
  )
}

/**
 * Whether the client has the current version (`If-None-Match`, weak comparison: RFC 9110, 13.1.2).
 */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const known = headers.get('If-None-Match')?.split(',').map(opaque) ?? []
  return known.includes('*') || known.includes(opaque(etag))
}

/** Responds with JSON, or with 304 to a client that has it; `headers` hold its ETag. */
export function conditionalJson(
  request: Request,
  body: string,
  headers: Headers,
): Response {
  if (isNotModified(request, headers.get('ETag') ?? '')) {
    headers.delete('Content-Type')
    return new Response(null, { status: 304, headers })
  }
  return new Response(request.method === 'HEAD' ? null : body, { headers })
}

/**
 * Responds with cacheable JSON, public if anonymous, otherwise private; or 304.
 * @param tag names the responses that a write invalidates, in the cache in front of the Worker
 */
export function cacheableJson(
  c: Context<OptionalCallerEnv>,
  tag: string,
  data: object,
  { etag, readAt }: Read,
): Response {
  const body = JSON.stringify(data)
  const isPublic = c.get('caller') === null
  if (isPublic) c.set('cacheable', { body, readAt })
  const headers = new Headers({
    'Content-Type': 'application/json',
    'Cache-Control': cacheControl(isPublic ? 'public' : 'private', readAt),
    'Cache-Tag': tag,
    ETag: etag,
    Vary: 'Authorization',
  })
  return conditionalJson(c.req.raw, body, headers)
}
