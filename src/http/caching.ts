import type { Context } from 'hono'
import type { PerhapsCallerEnv } from './guards.ts'

const MAX_AGE_SECONDS = 60
const STALE_SECONDS = 600

/** Lets caches keep this answer: everyone's without a token, the caller's own alone with one. */
export function setCacheable(c: Context<PerhapsCallerEnv>): void {
  const scope = c.var.caller ? 'private' : 'public'
  c.header('Cache-Control', `${scope}, max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`)
  c.header('Vary', 'Authorization', { append: true })
}
