import { createMiddleware } from 'hono/factory'
import type { AppContext, AppEnv } from './app-env.ts'
import { describeError, log } from '#log.ts'

/** In front of all other middleware: tells `afterResponse` when the response is made. */
export const responded = createMiddleware<AppEnv>(async (c, next) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  c.set('responded', promise)
  try {
    await next()
  } finally {
    resolve()
  }
})

/**
 * Starts work after the response, so that it does not affect the response time.
 * @param failure the event that is logged if the work fails
 */
export function afterResponse(
  c: AppContext,
  work: () => Promise<unknown>,
  failure: string,
): void {
  const sent = c
    .get('responded')
    .then(() => new Promise((resolve) => setTimeout(resolve)))
  const logged = sent.then(work).catch((error) => {
    const request_id = c.get('requestId')
    log('error', { event: failure, request_id, ...describeError(error) })
  })
  waitUntil(c, logged)
}

/** Lets some work of a request end, even if its client disconnects. */
export function waitUntil(c: AppContext, work: Promise<unknown>): void {
  executionContext(c)?.waitUntil(work)
}

/**
 * The execution context of the request; null if the app is called without one, as by `app.request`.
 */
function executionContext(c: AppContext): AppContext['executionCtx'] | null {
  try {
    return c.executionCtx
  } catch {
    return null
  }
}
