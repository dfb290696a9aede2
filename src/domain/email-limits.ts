import { timestamp } from './timestamps.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Minimum pause between two emails of one kind to one address, and their maximum. */
const PAUSE_MS = 5 * MINUTE_MS
export const MAX_EMAILS_A_DAY = 6

/**
 * When the next email of a kind may go to an address; null if it may go now.
 * @param sentTimes of the last ones, newest first: timestamps
 */
export function nextEmailTime(sentTimes: string[], now: Date): string | null {
  const [latest] = sentTimes
  const oldestOfDay = sentTimes[MAX_EMAILS_A_DAY - 1]
  const afterPause = latest ? Date.parse(latest) + PAUSE_MS : 0
  const afterDay = oldestOfDay ? Date.parse(oldestOfDay) + DAY_MS : 0
  const next = Math.max(afterPause, afterDay)
  return next > now.getTime() ? timestamp(new Date(next), 0) : null
}
