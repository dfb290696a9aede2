import type { Context } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import type { PerhapsCallerEnv } from './guards.ts'

const MAX_AGE_SECONDS = 60
const STALE_SECONDS = 600

/** Lets caches keep this answer: everyone's without a token, the caller's own alone with one. */
export function setCacheable(c: Context<PerhapsCallerEnv>): void {
  const scope = c.var.caller ? 'private' : 'public'
  c.header('Cache-Control', `${scope}, max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`)
  c.header('Vary', 'Authorization', { append: true })
}

/** `ETag` on what a client may keep, and 304 to a client that has it still. */
export const notModified = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'],
})
