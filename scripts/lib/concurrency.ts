/** Enough to hide the latency of a deployed service, yet within its rate limits. */
const CONCURRENCY = 6

/**
 * Runs work on items in order, several at a time.
 * @throws the first failure, after all started work has ended
 */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = (function* () {
    yield* items // a failure in a loop over a generator ends it, for all loops
  })()
  const workOnNext = async () => {
    for (const item of waiting) {
      await work(item)
    }
  }

  const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, workOnNext))
  for (const lane of lanes) {
    if (lane.status === 'rejected') throw lane.reason
  }
}
