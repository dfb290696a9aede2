import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../app-env.ts'
import { afterResponse, executionContext } from '../background.ts'
import { type CacheTag, cacheOf } from '../cache.ts'

/** Stores what `cachedJson` marked as cacheable, with its final headers. */
export const storePublicResponses = createMiddleware<AppEnv>(async (c, next) => {
  const cache = cacheOf(c.env.DB)
  const { generation } = cache
  await next()
  const cacheable = c.get('cacheable')
  if (cacheable && cache.generation === generation) cache.put(c.req.raw, cacheable, c.res.headers)
})

/** After a successful write, invalidates the responses of a tag, in this isolate and in the cache in front of the Worker. */
export const invalidates = (tag: CacheTag) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (!c.res.ok) return
    cacheOf(c.env.DB).clear()
    const cache = executionContext(c)?.cache
    if (cache) afterResponse(c, () => cache.purge({ tags: [tag] }), `purge of ${tag} failed`)
  })
