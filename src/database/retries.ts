import { DatabaseError } from './database-error.ts'

const MIN_DELAY_MS = 50
/** Maximum delays before the second and the third, last attempt. */
const MAX_DELAYS_MS = [400, 2000]
/** No attempt starts later: the client gets its 503 instead. */
const RETRY_BUDGET_MS = 5000

/**
 * Retries transient failures after a random delay (AWS Architecture Blog, "Exponential Backoff And
 * Jitter"). A failed attempt may have been committed; database/transactions.ts takes care of that.
 * @throws {DatabaseError} of the last attempt
 */
export async function withRetries<Result>(query: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + RETRY_BUDGET_MS

  for (const maxDelay of MAX_DELAYS_MS) {
    try {
      return await query()
    } catch (error) {
      const delay = MIN_DELAY_MS + Math.random() * (maxDelay - MIN_DELAY_MS)
      const isRetryable = error instanceof DatabaseError && error.isTransient
      if (!isRetryable || Date.now() + delay > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }

  return query()
}
