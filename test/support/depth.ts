/** Whether the suite runs as deep as `.ci/run` asks, by `DEEP=true npm test`. */
export const IS_DEEP = process.env.DEEP === 'true'

/** Returns how many random cases to try, of which a deep run tries ten times as many. */
export const runs = (count: number): number => (IS_DEEP ? 10 * count : count)
