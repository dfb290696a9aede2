import type { Context } from 'hono'
import { describeError, log } from '../log.ts'

/** Continues work after the response. A failure is logged as the event `failure`. */
export function inBackground(c: Context, work: Promise<unknown>, failure: string): void {
  const logged = work.catch((error) =>
    log('error', { event: failure, request_id: c.get('requestId'), ...describeError(error) }),
  )
  executionContext(c)?.waitUntil(logged)
}

/** Starts work after the response, so that it does not affect the response time. A failure is logged alike. */
export function afterResponse(c: Context, work: () => Promise<unknown>, failure: string): void {
  const nextTask = new Promise((resolve) => setTimeout(resolve))
  inBackground(c, nextTask.then(work), failure)
}

/** The execution context of the request; null if the app is called without a runtime. */
export function executionContext(c: Context): ExecutionContext | null {
  try {
    return c.executionCtx as ExecutionContext
  } catch {
    return null
  }
}
