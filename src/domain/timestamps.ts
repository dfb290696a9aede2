export const DAY_MS = 24 * 60 * 60 * 1000

/** Returns the time in whole seconds since 1970, as in the claims of a token. */
export const secondsNow = (): number => Math.floor(Date.now() / 1000)

/**
 * Formats a timestamp of the service: ISO 8601 in UTC with microseconds,
 * `2026-01-31T12:00:00.123000Z`. Such texts sort chronologically.
 * @param microseconds added to the date, to order simultaneous events
 */
export function timestamp(date: Date, microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = microseconds % 1000
  const later = new Date(date.getTime() + milliseconds)
  const digits = String(rest).padStart(3, '0')
  return later.toISOString().replace('Z', `${digits}Z`)
}

/** The format of a date or date-time; `parseDateTime` also checks the calendar. */
export const ISO_8601 =
  /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Returns whether a text is a calendar date, `YYYY-MM-DD`, from year 1 onwards. */
export function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return false
  return text >= '0001' && dayOf(day) === text
}

/**
 * Parses an ISO 8601 date or date-time, with `Z` or an offset; without either it is UTC. Null if it
 * is invalid, or if its UTC year does not have four digits.
 */
export function parseDateTime(text: string): Date | null {
  const [, day, offset] = ISO_8601.exec(text) ?? []
  if (!day || !isDate(day)) return null

  const hasTime = text !== day
  const date = new Date(hasTime && !offset ? `${text}Z` : text)
  if (Number.isNaN(date.getTime())) return null
  return isDate(dayOf(date)) ? date : null
}

/** Returns the day of a date in UTC. */
function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
