import type { Context, MiddlewareHandler, TypedResponse } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import { createMiddleware } from 'hono/factory'
import type { JSONParsed } from 'hono/utils/types'
import { digest } from '../../security/hashes.ts'
import type { AppEnv } from '../app-env.ts'
import { executionContext, inBackground } from '../background.ts'
import { ageInSeconds, cacheControl, MAX_AGE, type Revision, SharedHeaders } from '../cache-control.ts'
import type { OptionalAuthEnv } from './auth.ts'

const MAX_ENTRIES = 500
const MAX_BYTES = 4_000_000

/** Identifies the responses that a write invalidates, in memory and in the edge cache. */
export type CacheTag = 'categories' | 'dioceses' | 'treatment-pronouns' | 'changelogs'

/** A JSON response; public if anonymous, otherwise private. It is complete if it has its shared headers. */
export type CacheableResponse = {
  tag: CacheTag
  scope: 'public' | 'private'
  body: string
  revision: Revision
  isComplete: boolean
}

/** A public response of one URL. */
type Entry = Pick<CacheableResponse, 'tag' | 'body' | 'revision'>

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
    if (ageInSeconds(entry.revision.readAt) < MAX_AGE) return entry
    this.#delete(url, entry)
    return null
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
const size = (url: string, { body }: Entry) => url.length + body.length + HEADERS_BYTES

const caches = new WeakMap<D1Database, ResponseCache>()

/** This isolate's cache for a database. */
export function responseCacheOf(database: D1Database): ResponseCache {
  const cache = caches.get(database) ?? new ResponseCache()
  caches.set(database, cache)
  return cache
}

/** The headers of responses that differ only in body, ETag and age. */
const sharedHeaders = {
  public: new Map<CacheTag, SharedHeaders>(),
  private: new Map<CacheTag, SharedHeaders>(),
}

/** The response to a repeated anonymous GET or HEAD, from memory. */
export function cachedResponse(request: Request, database: D1Database): Response | null {
  const entry = isPlainRead(request) ? caches.get(database)?.get(request.url) : null
  const headers = entry && sharedHeaders.public.get(entry.tag)?.of(entry.revision)
  return headers ? new Response(request.method === 'HEAD' ? null : entry.body, { headers }) : null
}

/** Stores public responses for `cachedResponse`. */
export const responseCache = createMiddleware<AppEnv>(async (c, next) => {
  const cache = responseCacheOf(c.env.DB)
  const { generation } = cache
  await next()
  const cacheable = c.get('cacheable')
  if (!cacheable || !c.res.ok) return
  const { tag, scope, isComplete } = cacheable
  if (!isComplete) sharedHeaders[scope].set(tag, new SharedHeaders(scope, c.res.headers))
  if (scope === 'public' && cache.generation === generation) cache.set(c.req.raw.url, cacheable)
})

/** Without a header that changes the response. */
function isPlainRead({ method, headers }: Request): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && !headers.has('Authorization') && !headers.has('If-None-Match')
  )
}

/** Runs a middleware that works on responses, unless the response has all its headers already. */
export const unlessComplete = (middleware: MiddlewareHandler) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.get('cacheable')?.isComplete) await middleware(c, async () => undefined)
  })

type JsonResponse<Body> = Response & TypedResponse<JSONParsed<Body>, 200, 'json'>

/** Responds with cacheable JSON: public if anonymous, otherwise private. */
export function cachedJson<Body extends object>(
  c: Context<OptionalAuthEnv>,
  tag: CacheTag,
  body: Body,
  revision: Revision,
): JsonResponse<Body> {
  const json = JSON.stringify(body)
  const scope = c.get('caller') ? 'private' : 'public'
  const isConditional = c.req.header('If-None-Match') !== undefined
  const headers = isConditional ? undefined : sharedHeaders[scope].get(tag)?.of(revision)
  c.set('cacheable', { tag, scope, body: json, revision, isComplete: headers !== undefined })
  const response = headers
    ? new Response(json, { headers })
    : c.body(json, 200, {
        'Content-Type': 'application/json',
        'Cache-Control': cacheControl(scope, ageInSeconds(revision.readAt)),
        'Cache-Tag': tag,
        ETag: revision.etag,
        Vary: 'Authorization',
      })
  return response as Response as JsonResponse<Body> // typed like `c.json`
}

/** An ETag: the digest of the JSON of a value. */
export async function entityTag(value: object): Promise<string> {
  return `"${await digest(JSON.stringify(value))}"`
}

/** Responds 304 if the client's ETag still matches. */
export const conditionalGet = unlessComplete(
  etag({
    retainedHeaders: [
      ...RETAINED_304_HEADERS,
      'Cache-Tag',
      'Access-Control-Allow-Origin',
      'Access-Control-Expose-Headers',
    ],
  }),
)

/** After a successful write, invalidates the responses of a tag, in this isolate and in the edge cache. */
export const invalidates = (tag: CacheTag) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.res.ok) return
    responseCacheOf(c.env.DB).invalidate(c.get('session').getBookmark() ?? null)
    const purge = executionContext(c)?.cache?.purge({ tags: [tag] })
    if (purge) inBackground(c, purge, `purge of ${tag} failed`)
  })
