import { createMiddleware } from 'hono/factory'
import { afterResponse, executionContext } from '../after-response.ts'
import type { AppEnv } from '../app-env.ts'
import { responseMemoryOf } from '../response-memory.ts'

/** Stores what `cacheableJson` marked, with its final headers. */
export const storePublicResponses = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const cacheable = c.get('cacheable')
  if (cacheable)
    responseMemoryOf(c.env.DB).put(c.req.url, { ...cacheable, headers: c.res.headers })
})

/**
 * After a successful write, forgets the responses that it may have changed: all of this isolate,
 * and those with a tag in the cache in front of the Worker.
 */
export const invalidates = (tag: string) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.res.ok) return

    responseMemoryOf(c.env.DB).clear()
    const cache = executionContext(c)?.cache
    if (cache)
      afterResponse(c, () => cache.purge({ tags: [tag] }), `purge of ${tag} failed`)
  })
