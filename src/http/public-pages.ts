import type { Context } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import { createMiddleware } from 'hono/factory'
import { BoundedMemory } from '../bounded-memory.ts'
import type { AppEnv } from './app-env.ts'
import { executionOf, inBackground } from './background.ts'
import type { PerhapsCallerEnv } from './guards.ts'

const MAX_AGE_SECONDS = 60
const STALE_SECONDS = 600
const LIMITS = { entries: 500, size: 4_000_000, milliseconds: MAX_AGE_SECONDS * 1000 }
const HEADERS_SIZE = 1000
/** How often, and how many times, a request looks whether another has rendered its page: a second at most. */
const LOOK_MS = 5
const MOST_LOOKS = 200

/** What a write to it makes old, here and in the cache in front. */
export type CacheTag = 'categories' | 'changelogs'

/** Encoded once, and not again for each answer. */
type Page = { body: Uint8Array<ArrayBuffer>; etag: string }

/** The headers of an anonymous answer to one address, as it was spelled, and the page that it showed. */
type Answer = { key: string; page: Page; headers: Headers }

/**
 * What one isolate remembers of a database: rendered public pages, for as long as any cache may keep them,
 * by their canonical query; and how it answered with them. Never anyone's own.
 */
class PublicPages {
  readonly pages = new BoundedMemory<Page>(LIMITS)
  readonly answers = new BoundedMemory<Answer>(LIMITS)
  /** What is being rendered, each by whom. */
  readonly #rendering = new Map<string, symbol>()
  /** The bookmark of the last write: an isolate reads what it wrote. */
  lastWrite: string | null = null

  /**
   * A page that is remembered, or rendered now. Misses at one moment wait for one rendering, by looking again
   * and again: whoever awaited the promise of another request would go on in that request, where workerd
   * forbids all I/O of one's own.
   */
  async page(key: string, render: () => Promise<Page>): Promise<Page> {
    for (let look = 0; look < MOST_LOOKS && this.#rendering.has(key); look++) await scheduler.wait(LOOK_MS)
    const known = this.pages.get(key)
    if (known) return known
    const mine = Symbol(key)
    this.#rendering.set(key, mine)
    try {
      const page = await render()
      // not if a write has overtaken it
      if (this.#rendering.get(key) === mine) this.pages.set(key, page, page.body.byteLength)
      return page
    } finally {
      if (this.#rendering.get(key) === mine) this.#rendering.delete(key)
    }
  }

  forget(bookmark: string | null): void {
    this.pages.clear()
    this.answers.clear()
    this.#rendering.clear()
    this.lastWrite = bookmark
  }
}

const memories = new WeakMap<D1Database, PublicPages>()

/** The memory of this isolate for a database. */
export function publicPagesOf(database: D1Database): PublicPages {
  const memory = memories.get(database) ?? new PublicPages()
  memories.set(database, memory)
  return memory
}

/**
 * Answers a public list. Caches may keep it: everyone's without a token, the caller's own alone with one.
 *
 * @param query what the page depends on, as it was understood: spelling and order do not matter
 * @param render the body of the answer; it must depend on nothing else
 */
export async function publicPage(
  c: Context<PerhapsCallerEnv>,
  tag: CacheTag,
  query: object,
  render: () => Promise<object>,
): Promise<Response> {
  const memory = publicPagesOf(c.env.DB)
  const parameters = Object.entries(query).sort(([one], [other]) => (one < other ? -1 : 1))
  const key = `${c.req.path} ${JSON.stringify(parameters)}`
  const rendering = c.get('bookmark') ? rendered(render) : memory.page(key, () => rendered(render))
  // others may wait for this page, so it is finished even if who asked first goes away
  executionOf(c)?.waitUntil(rendering.catch(() => undefined)) // the request itself tells of a failure
  const page = await rendering

  const scope = c.get('caller') ? 'private' : 'public'
  c.header('Cache-Control', `${scope}, max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`)
  c.header('Cache-Tag', tag)
  c.header('Vary', 'Authorization', { append: true })
  c.header('ETag', page.etag)
  c.header('Content-Type', 'application/json')
  if (!c.get('caller')) c.set('publicPage', key)
  return c.body(page.body)
}

async function rendered(render: () => Promise<object>): Promise<Page> {
  const body = Buffer.from(JSON.stringify(await render()))
  const digest = await crypto.subtle.digest('SHA-256', body)
  return { body, etag: `"${Buffer.from(digest).toString('base64url')}"` }
}

/** 304 to a client that has the page still. */
export const notModified = etag({
  retainedHeaders: [
    ...RETAINED_304_HEADERS,
    'Cache-Tag',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
  ],
})

/** Answers what was asked lately in the same words, anonymously and without conditions, before anything else. */
export const rememberedAnswers = createMiddleware<AppEnv>(async (c, next) => {
  const { headers, method, url } = c.req.raw
  const isPlain =
    (method === 'GET' || method === 'HEAD') &&
    !headers.has('Authorization') &&
    !headers.has('If-None-Match') &&
    !headers.has('x-d1-bookmark')
  if (!isPlain) return next()
  const { answers, pages } = publicPagesOf(c.env.DB)
  const known = answers.get(url)
  if (known && pages.get(known.key) === known.page)
    return new Response(known.page.body, { headers: known.headers })
  await next()
  const key = c.get('publicPage')
  const page = key && pages.get(key) // none, if a write has overtaken it
  if (page) answers.set(url, { key, page, headers: new Headers(c.res.headers) }, HEADERS_SIZE + url.length)
})

/** After a successful write, forgets what it made old: in this isolate, and by tag in the cache in front. */
export const forgets = (tag: CacheTag) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.res.ok) return
    publicPagesOf(c.env.DB).forget(c.get('session').getBookmark() ?? null)
    const purged = executionOf(c)?.cache?.purge({ tags: [tag] })
    if (purged) inBackground(c, purged, `purge of ${tag} failed`)
  })
