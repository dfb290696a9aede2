/**
 * A moment as every timestamp of the service is written: ISO 8601 in UTC with microseconds,
 * `2026-01-31T12:00:00.123000Z`. Such texts sort as the moments do.
 *
 * @param microseconds added to the date; it puts what happens at one moment in order
 */
export function timestamp(date: Date, microseconds = 0): string {
  const milliseconds = new Date(date.getTime() + Math.floor(microseconds / 1000)).toISOString()
  return milliseconds.replace('Z', `${String(microseconds % 1000).padStart(3, '0')}Z`)
}

/** The form of a day or a moment; the calendar is a matter of `parseDateTime`. */
export const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** A day of the calendar, `YYYY-MM-DD`, from the year 1 on. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/**
 * Reads a moment in ISO 8601, with `Z` or an offset; one without either is UTC, and so is a day alone.
 * Null where it is none, or where its day in UTC has no year of four digits.
 */
export function parseDateTime(text: string): Date | null {
  const [, day] = ISO_8601.exec(text) ?? []
  if (!day || !isDate(day)) return null
  const date = new Date(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || day === text ? text : `${text}Z`)
  return !Number.isNaN(date.getTime()) && isDate(date.toISOString().slice(0, 10)) ? date : null
}
