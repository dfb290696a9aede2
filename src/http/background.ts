import type { Context } from 'hono'

/** Lets work go on after the answer is given. It must tell its own failures. */
export function inBackground(c: Context, work: Promise<unknown>): void {
  executionOf(c)?.waitUntil(work.catch(() => undefined))
}

/** The execution context of the request; null where the app is called directly, without a runtime around it. */
export function executionOf(c: Context): ExecutionContext | null {
  try {
    return c.executionCtx as ExecutionContext
  } catch {
    return null
  }
}
