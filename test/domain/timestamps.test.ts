import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDate, parseDateTime, timestamp } from '#domain/timestamps.ts'

describe('timestamp', () => {
  it('has microseconds, and carries them over', () => {
    const date = new Date('2026-01-31T12:00:00.123Z')
    expect(timestamp(date, 0)).toBe('2026-01-31T12:00:00.123000Z')
    expect(timestamp(date, 7)).toBe('2026-01-31T12:00:00.123007Z')
    expect(timestamp(date, 1001)).toBe('2026-01-31T12:00:00.124001Z')
  })

  it('sorts chronologically as text', () => {
    const micros = fc.integer({ min: 0, max: 5000 })
    fc.assert(
      fc.property(
        micros,
        micros,
        (one, other) =>
          timestamp(new Date(0), one) < timestamp(new Date(0), other) === one < other,
      ),
    )
  })
})

describe('isDate', () => {
  it.each(['2026-02-28', '2024-02-29', '9999-12-31', '0001-01-01'])('knows %s', (text) =>
    expect(isDate(text)).toBe(true),
  )
  it.each([
    '2026-02-29',
    '2026-00-01',
    '2026-1-1',
    '0000-01-01',
    '',
    '2026-01-01T00:00:00Z',
    '20260101',
    '2026',
    '2026-01',
    ' 2026-01-01',
    '+002026-01-01',
    '-000001-01-01',
    '+010000-01-01',
    '12026-01-01',
  ])('rejects %j', (text) => expect(isDate(text)).toBe(false))
})

describe('parseDateTime', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T23:30:00-03:00', '2026-02-01T02:30:00.000Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z'],
  ])('reads %s', (text, expected) =>
    expect(parseDateTime(text)?.toISOString()).toBe(expected),
  )

  it.each([
    '',
    'x',
    '31/01/2026',
    'Sat 2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00Z[UTC]',
    '2026-02-30',
    '2026-02-30T12:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31 12:00',
    '9999-12-31T23:59:59-01:00',
    '0001-01-01T00:00:00+01:00',
    '1769860800',
  ])('rejects %j', (text) => expect(parseDateTime(text)).toBeNull())
})
