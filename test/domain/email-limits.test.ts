import { expect, it } from 'vitest'
import { nextEmailTime } from '#domain/email-limits.ts'
import { timestamp } from '#domain/timestamps.ts'

const DAY = 24 * 60
const NOW = Date.parse('2026-06-01T12:00:00.000Z')

/** A timestamp some minutes from now. */
const minutesFromNow = (minutes: number) => timestamp(new Date(NOW + minutes * 60_000), 0)

it.each<[number[], number | undefined, number | null]>([
  [[], undefined, null],
  [[5], undefined, null],
  [[4], undefined, 1],
  [[0], undefined, 5],
  [[5, 10, 15, 20, 25], undefined, null],
  [[5, 10, 15, 20, 25, DAY], undefined, null],
  [[5, 10, 15, 20, 25, DAY - 1], undefined, 1],
  [[3, 10, 15, 20, 25, DAY - 1], undefined, 2],
  [[DAY], 1, null],
  [[6], 1, DAY - 6],
])(
  'after emails %j minutes ago, with the limit of %s a day, the next goes in %s minutes',
  (sent, maxADay, next) => {
    const sentTimes = sent.map((minutes) => minutesFromNow(-minutes))
    expect(nextEmailTime(sentTimes, new Date(NOW), maxADay)).toBe(
      next === null ? null : minutesFromNow(next),
    )
  },
)
