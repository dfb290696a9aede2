import type { Context, TypedResponse } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import { createMiddleware } from 'hono/factory'
import type { JSONParsed } from 'hono/utils/types'
import type { AppEnv } from '../app-env.ts'
import { executionContext, inBackground } from '../background.ts'
import { ageInSeconds, cacheControl, MAX_AGE } from '../cache-control.ts'
import type { OptionalAuthEnv } from './auth.ts'

const MAX_ENTRIES = 500
const MAX_BYTES = 4_000_000

/** Identifies the responses that a write invalidates, in memory and in the edge cache. */
export type CacheTag = 'categories' | 'dioceses' | 'treatment-pronouns' | 'changelogs'

/** An anonymous response of one URL. Its headers depend on its age in seconds. */
type Entry = { body: Uint8Array<ArrayBuffer>; headers: Headers; readAt: number; age: number }

/** Per-isolate cache of anonymous responses by URL; evicts oldest first. */
class ResponseCache {
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  /** Counts invalidations: a response read before one must not be stored after it. */
  generation = 0
  /** Of this isolate's last write, so that it reads its own writes. */
  lastBookmark: string | null = null

  get(url: string): Entry | null {
    const entry = this.#entries.get(url)
    if (!entry) return null
    const age = ageInSeconds(entry.readAt)
    if (age >= MAX_AGE) {
      this.#delete(url, entry)
      return null
    }
    if (age !== entry.age) {
      entry.headers.set('Cache-Control', cacheControl('public', age))
      entry.age = age
    }
    return entry
  }

  set(url: string, entry: Entry): void {
    const previous = this.#entries.get(url)
    if (previous) this.#delete(url, previous)
    this.#entries.set(url, entry)
    this.#bytes += size(url, entry)
    for (const [oldest, candidate] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#bytes <= MAX_BYTES) break
      this.#delete(oldest, candidate)
    }
  }

  invalidate(bookmark: string | null): void {
    this.#entries.clear()
    this.#bytes = 0
    this.generation += 1
    if (bookmark && bookmark > (this.lastBookmark ?? '')) this.lastBookmark = bookmark // they sort as text
  }

  #delete(url: string, entry: Entry): void {
    this.#entries.delete(url)
    this.#bytes -= size(url, entry)
  }
}

const HEADERS_BYTES = 1000
const size = (url: string, { body }: Entry) => url.length + body.byteLength + HEADERS_BYTES

const caches = new WeakMap<D1Database, ResponseCache>()

/** This isolate's cache for a database. */
export function responseCacheOf(database: D1Database): ResponseCache {
  const cache = caches.get(database) ?? new ResponseCache()
  caches.set(database, cache)
  return cache
}

/** Serves repeated anonymous GET and HEAD from memory, before other middleware. */
export const responseCache = createMiddleware<AppEnv>(async (c, next) => {
  const { headers, method, url } = c.req.raw
  const isPlain =
    (method === 'GET' || method === 'HEAD') && !headers.has('Authorization') && !headers.has('If-None-Match')
  if (!isPlain) return next()
  const cache = responseCacheOf(c.env.DB)
  const entry = cache.get(url)
  if (entry) return new Response(entry.body, { headers: entry.headers })
  const { generation } = cache
  await next()
  const representation = c.get('representation')
  if (!representation || cache.generation !== generation) return
  cache.set(url, {
    body: representation.body,
    headers: new Headers(c.res.headers),
    readAt: representation.readAt,
    age: ageInSeconds(representation.readAt),
  })
})

type JsonResponse<Body> = Response & TypedResponse<JSONParsed<Body>, 200, 'json'>

/**
 * Responds with cacheable JSON: public if anonymous, otherwise private.
 *
 * @param read.at the time of the database read
 * @param read.etag by default the digest of the JSON
 */
export async function cachedJson<Body extends object>(
  c: Context<OptionalAuthEnv>,
  tag: CacheTag,
  body: Body,
  read: { at: number; etag?: string },
): Promise<JsonResponse<Body>> {
  const json = JSON.stringify(body)
  const representation = {
    body: Buffer.from(json),
    etag: read.etag ?? (await entityTag(json)),
    readAt: read.at,
  }
  const scope = c.get('caller') ? 'private' : 'public'
  if (scope === 'public') c.set('representation', representation)
  const response = c.body(representation.body, 200, {
    'Content-Type': 'application/json',
    'Cache-Control': cacheControl(scope, ageInSeconds(read.at)),
    'Cache-Tag': tag,
    ETag: representation.etag,
    Vary: 'Authorization',
  })
  return response as Response as JsonResponse<Body> // typed like `c.json`
}

/** An ETag: the digest of a text. */
export async function entityTag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `"${Buffer.from(digest).toString('base64url')}"`
}

/** Responds 304 if the client's ETag still matches. */
export const conditionalGet = etag({
  retainedHeaders: [
    ...RETAINED_304_HEADERS,
    'Cache-Tag',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
  ],
})

/** After a successful write, invalidates the responses of a tag, in this isolate and in the edge cache. */
export const invalidates = (tag: CacheTag) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.res.ok) return
    responseCacheOf(c.env.DB).invalidate(c.get('session').getBookmark() ?? null)
    const purge = executionContext(c)?.cache?.purge({ tags: [tag] })
    if (purge) inBackground(c, purge, `purge of ${tag} failed`)
  })
