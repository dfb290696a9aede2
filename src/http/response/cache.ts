import { createMiddleware } from 'hono/factory'
import { afterResponse, executionContext } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'

/** After a successful write, purges a tag from the cache in front of the Worker. */
export const invalidates = (tag: string) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    const cache = c.res.ok ? executionContext(c)?.cache : undefined
    if (cache) {
      afterResponse(c, () => cache.purge({ tags: [tag] }), `purge of ${tag} failed`)
    }
  })
