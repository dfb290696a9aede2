import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { publicCacheControl } from '#http/response/cacheable.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
})

describe('publicCacheControl', () => {
  it.each([
    [0, 60, 60, 600],
    [59, 1, 60, 600],
    [60, 0, 60, 600],
    [61, 0, 59, 599],
    [119, 0, 1, 541],
    [121, 0, 0, 539],
    [659, 0, 0, 1],
    [700, 0, 0, 0],
  ])(
    'leaves, %i seconds after the read, what is left of each lifetime',
    (age, maxAge, whileRevalidate, ifError) => {
      expect(publicCacheControl(Date.now() - age * 1000)).toBe(
        `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidate}, ` +
          `stale-if-error=${ifError}`,
      )
    },
  )
})
