import type { Context } from 'hono'
import { describeError, log } from '../log.ts'

/** Lets work go on after the response; where it fails, it is logged as the event `failure`. */
export function inBackground(c: Context, work: Promise<unknown>, failure: string): void {
  const logged = work.catch((error) => log('error', { event: failure, ...describeError(error) }))
  executionContext(c)?.waitUntil(logged)
}

/** Begins work when the response is complete, so that its time does not depend on it; a failure is logged likewise. */
export function afterResponse(c: Context, work: () => Promise<unknown>, failure: string): void {
  const nextTask = new Promise((resolve) => setTimeout(resolve))
  inBackground(c, nextTask.then(work), failure)
}

/** The execution context of the request; null where the app is called directly, without a runtime around it. */
export function executionContext(c: Context): ExecutionContext | null {
  try {
    return c.executionCtx as ExecutionContext
  } catch {
    return null
  }
}
