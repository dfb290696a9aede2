import type { Context } from 'hono'
import { log, nameOf } from '../logs.ts'

/** Lets work go on after the answer is given; where it fails, the log says so in the words of `failure`. */
export function inBackground(c: Context, work: Promise<unknown>, failure: string): void {
  const told = work.catch((error) => log('error', { message: failure, error: nameOf(error) }))
  executionOf(c)?.waitUntil(told)
}

/** The execution context of the request; null where the app is called directly, without a runtime around it. */
export function executionOf(c: Context): ExecutionContext | null {
  try {
    return c.executionCtx as ExecutionContext
  } catch {
    return null
  }
}
