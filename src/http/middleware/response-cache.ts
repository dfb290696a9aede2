import type { Context, TypedResponse } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import { createMiddleware } from 'hono/factory'
import type { JSONParsed } from 'hono/utils/types'
import type { AppEnv } from '../app-env.ts'
import { executionContext, inBackground } from '../background.ts'
import { ageInSeconds, cacheControl, MAX_AGE } from '../freshness.ts'
import type { OptionalAuthEnv } from './auth.ts'

const MAX_ENTRIES = 500
const MAX_BYTES = 4_000_000

/** What a write invalidates, here and in the cache in front of the Worker. */
export type CacheTag = 'categories' | 'dioceses' | 'treatment-pronouns' | 'changelogs'

/** The JSON of a public response: encoded, with its validator, and when the database was read for it. */
export type Representation = { body: Uint8Array<ArrayBuffer>; etag: string; readAt: number }

/** An anonymous response to one URL, complete with its headers, which show its age in seconds. */
type Entry = { body: Uint8Array<ArrayBuffer>; headers: Headers; readAt: number; age: number }

/** The anonymous public responses that one isolate keeps of one database, by URL; the oldest makes room. */
class ResponseCache {
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  /** Counts invalidations: what was read before one must not be stored after it. */
  generation = 0
  /** Of the last write of this isolate, which then reads what it wrote. */
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

/** The cache of this isolate for a database. */
export function responseCacheOf(database: D1Database): ResponseCache {
  const cache = caches.get(database) ?? new ResponseCache()
  caches.set(database, cache)
  return cache
}

/** Answers anonymous, unconditional repetitions of a public request from memory, before anything else runs. */
export const cachedResponses = createMiddleware<AppEnv>(async (c, next) => {
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
 * Responds with the JSON of a public body. Caches may keep it: everyone's without a token, else the caller's own.
 *
 * @param read.at when the database was read for it
 * @param read.etag its validator; by default the digest of the JSON
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
  return response as Response as JsonResponse<Body> // as typed as what `c.json` returns
}

/** A validator of some text: its digest. */
export async function entityTag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `"${Buffer.from(digest).toString('base64url')}"`
}

/** 304 to a client that has the representation still. */
export const conditionalGet = etag({
  retainedHeaders: [
    ...RETAINED_304_HEADERS,
    'Cache-Tag',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
  ],
})

/** After a successful write, invalidates what it changed: in this isolate, and by tag in the cache in front. */
export const invalidates = (tag: CacheTag) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.res.ok) return
    responseCacheOf(c.env.DB).invalidate(c.get('session').getBookmark() ?? null)
    const purge = executionContext(c)?.cache?.purge({ tags: [tag] })
    if (purge) inBackground(c, purge, `purge of ${tag} failed`)
  })
