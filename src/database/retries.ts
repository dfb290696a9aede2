import { DatabaseFault } from './faults.ts'
import type { Around } from './round-trips.ts'

const SHORTEST_PAUSE_MS = 50
/** The longest pause before the second try, and before the third, which is the last. */
const LONGEST_PAUSES_MS = [400, 2000]
/** Past this no further try begins: the client has waited long enough for a 503. */
const BUDGET_MS = 5000

/**
 * Tries a round trip again that failed for a transient reason, after a random pause (AWS Architecture Blog,
 * "Exponential Backoff And Jitter"). The failed try may have taken effect, so every statement of ours is
 * written to do no harm when it is repeated.
 *
 * @throws {DatabaseFault} the last one
 */
export const retrying: Around = async (trip) => {
  const deadline = Date.now() + BUDGET_MS
  for (const longest of LONGEST_PAUSES_MS) {
    try {
      return await trip()
    } catch (error) {
      const pause = SHORTEST_PAUSE_MS + Math.random() * (longest - SHORTEST_PAUSE_MS)
      const isWorthwhile = error instanceof DatabaseFault && error.isTransient
      if (!isWorthwhile || Date.now() + pause > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return trip()
}
