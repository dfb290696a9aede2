/** Enough to hide the latency of a deployed service, and few enough for its rate limits and a local one. */
const CONCURRENCY = 6

/**
 * Runs work on items in their order, several at once. After a failure nothing more is started.
 *
 * @throws the first failure, once everything that was started has ended
 */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items]
  const runOneByOne = async () => {
    while (waiting.length > 0) await work(waiting.shift() as Item)
  }
  const lanes = Array.from({ length: CONCURRENCY }, () =>
    runOneByOne().catch((error) => {
      waiting.length = 0
      throw error
    }),
  )
  const failure = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected')
  if (failure) throw (failure as PromiseRejectedResult).reason
}
