import type { Context, TypedResponse } from 'hono'
import type { JSONParsed } from 'hono/utils/types'
import { getQueryStrings } from 'hono/utils/url'
import type { ListEntry, ListItem } from '../domain/searchable-list.ts'
import type { OptionalAuthEnv } from './middleware/auth.ts'
import { canonicalPath } from './paths.ts'

/** Lifetimes in seconds since the database was read: fresh, stale while it is read again, stale on errors. */
export const MAX_AGE = 60
const STALE_WHILE_REVALIDATE = 60
export const STALE_IF_ERROR = 600

/** At most 20 MB of an isolate's 128. */
const MAX_RESPONSES = 200
const MAX_LENGTH = 50_000

/** Names the responses that a write invalidates, here and in the cache in front of the Worker. */
export type CacheTag = 'categories' | 'dioceses' | 'treatment-pronouns' | 'changelogs'

/** A version of what was read from the database, and when. */
type Read = { etag: string; readAt: number }

/** A reference list. */
export type CachedList = Read & { entries: ListEntry<ListItem>[] }

/** What `cachedJson` marks as cacheable. */
export type Cacheable = Read & { body: string }

/** A public response. Its headers are those of the age; its bytes are encoded once, when it is repeated. */
type CachedResponse = Cacheable & { headers: Headers; age: number; bytes?: Uint8Array }

/** What an isolate remembers of a database: reference lists, and public responses. */
export class Cache {
  readonly #lists = new Map<CacheTag, CachedList>()
  readonly #responses = new Map<string, CachedResponse>()
  /** Counts invalidations: what was read before one must not be stored after it. */
  generation = 0

  list(tag: CacheTag): CachedList | null {
    return this.#lists.get(tag) ?? null
  }

  /** Stores a list, unless a later read or a write overtook its own read. */
  putList(tag: CacheTag, list: CachedList, generation: number): void {
    const isOvertaken =
      generation !== this.generation || list.readAt < (this.list(tag)?.readAt ?? 0)
    if (!isOvertaken) this.#lists.set(tag, list)
  }

  /** The fresh response to an anonymous GET or HEAD, or null. */
  match(request: Request): Response | null {
    if (
      (request.method !== 'GET' && request.method !== 'HEAD') ||
      request.headers.has('Authorization')
    )
      return null
    const key = cacheKey(request)
    const cached = this.#responses.get(key)
    if (!cached) return null
    const age = ageInSeconds(cached.readAt)
    if (age >= MAX_AGE) return null
    if (age !== cached.age) {
      cached.headers = new Headers(cached.headers)
      cached.headers.set('Cache-Control', cacheControl('public', age))
      cached.headers.set('Content-Type', 'application/json') // which a 304 does not have
      cached.bytes ??= new TextEncoder().encode(cached.body)
      cached.age = age
    }
    if (!isNotModified(request, cached.etag))
      return new Response(request.method === 'HEAD' ? null : cached.bytes, {
        headers: cached.headers,
      })
    const headers = new Headers(cached.headers)
    headers.delete('Content-Type')
    return new Response(null, { status: 304, headers })
  }

  /** Stores the response to a request, unless it is long or older than the known one; evicts the oldest. */
  put(request: Request, { body, etag, readAt }: Cacheable, headers: Headers): void {
    const key = cacheKey(request)
    if (body.length > MAX_LENGTH || readAt < (this.#responses.get(key)?.readAt ?? 0)) return
    this.#responses.delete(key) // so that it is the newest
    this.#responses.set(key, { body, headers, etag, readAt, age: Number.NaN })
    const [oldest = ''] = this.#responses.keys()
    if (this.#responses.size > MAX_RESPONSES) this.#responses.delete(oldest)
  }

  clear(): void {
    this.#lists.clear()
    this.#responses.clear()
    this.generation += 1
  }
}

const caches = new WeakMap<D1Database, Cache>()

/** This isolate's cache of a database. */
export function cacheOf(database: D1Database): Cache {
  const cache = caches.get(database) ?? new Cache()
  caches.set(database, cache)
  return cache
}

/** The query parameters of all public lists. */
const PARAMETERS = new Set(
  'search active state page per_page category version is_published date_from date_to'.split(' '),
)

/** Path and query as the router parts them, without parameters that no list has. An encoded name counts as known. */
function cacheKey(request: Request): string {
  const path = canonicalPath(request)
  const query = getQueryStrings(request.url).slice(1)
  if (!query) return path
  const isKnown = (pair: string) => {
    const [name = ''] = pair.split('=', 1)
    return PARAMETERS.has(name) || /[%+]/.test(name)
  }
  const known = query.split('&').filter(isKnown)
  return known.length > 0 ? `${path}?${known.join('&')}` : path
}

/** Whole seconds since a read. */
export const ageInSeconds = (readAt: number) => Math.floor((Date.now() - readAt) / 1000)

/**
 * `Cache-Control` (RFC 9111; RFC 5861) with what is left of the lifetimes at an age in seconds, so that memory, the
 * cache in front and browsers together never exceed them.
 */
function cacheControl(scope: 'public' | 'private', age: number): string {
  const stale = Math.max(0, age - MAX_AGE)
  const left = [MAX_AGE - age, STALE_WHILE_REVALIDATE - stale, STALE_IF_ERROR - stale].map(
    (seconds) => Math.max(0, seconds),
  )
  return `${scope}, max-age=${left[0]}, stale-while-revalidate=${left[1]}, stale-if-error=${left[2]}`
}

/** Whether the client has the current version (`If-None-Match`, weak comparison: RFC 9110, 13.1.2). */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const known = headers.get('If-None-Match')?.split(',').map(opaque) ?? []
  return known.includes('*') || known.includes(opaque(etag))
}

type JsonResponse<Body> = Response & TypedResponse<JSONParsed<Body>, 200, 'json'>

/** Responds with cacheable JSON, public if anonymous, otherwise private; or 304. */
export function cachedJson<Body extends object>(
  c: Context<OptionalAuthEnv>,
  tag: CacheTag,
  body: Body,
  { etag, readAt }: Read,
): JsonResponse<Body> {
  const json = JSON.stringify(body)
  const scope = c.get('caller') ? 'private' : 'public'
  if (scope === 'public') c.set('cacheable', { body: json, etag, readAt })
  const headers = {
    'Cache-Control': cacheControl(scope, ageInSeconds(readAt)),
    'Cache-Tag': tag,
    ETag: etag,
    Vary: 'Authorization',
  }
  const response = isNotModified(c.req.raw, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(json, { headers: { 'Content-Type': 'application/json', ...headers } })
  return response as JsonResponse<Body> // typed like `c.json`
}
