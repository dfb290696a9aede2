import { timestamp } from './timestamps.ts'

const MINUTE_MS = 60_000

/** Minimum pause between two emails of one kind to one address. */
const PAUSE_MS = 5 * MINUTE_MS
/** Maximum emails of one kind to one address per day. */
export const MAX_EMAILS_A_DAY = 6
export const EMAIL_DAY_MINUTES = 24 * 60

/**
 * Returns when the next email of a kind may be sent to an address; null if now.
 * @param sentTimes of the last ones, newest first: timestamps
 * @param maxADay of the kind
 */
export function nextEmailTime(
  sentTimes: string[],
  now: Date,
  maxADay = MAX_EMAILS_A_DAY,
): string | null {
  const [latest] = sentTimes
  const oldestOfDay = sentTimes[maxADay - 1]
  const afterPause = latest ? Date.parse(latest) + PAUSE_MS : 0
  const afterDay = oldestOfDay
    ? Date.parse(oldestOfDay) + EMAIL_DAY_MINUTES * MINUTE_MS
    : 0
  const next = Math.max(afterPause, afterDay)
  return next > now.getTime() ? timestamp(new Date(next), 0) : null
}
