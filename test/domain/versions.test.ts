import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareVersions,
  highestReleaseType,
  highestVersion,
  isVersion,
  nextVersion,
  type Version,
} from '#domain/versions.ts'

/** Mostly small numbers, so that versions often share a major or minor number. */
const number = fc.oneof(fc.nat(2), fc.integer({ min: 0, max: 10 ** 15 - 1 }))
const version = fc
  .tuple(number, number, number)
  .map(([major, minor, patch]): Version => `v${major}.${minor}.${patch}`)

describe('isVersion', () => {
  it.each(['v0.0.0', 'v1.10.0', 'v20260131.0.1', 'v999999999999999.0.0'])(
    'knows %s',
    (text) => {
      expect(isVersion(text)).toBe(true)
    },
  )

  it.each([
    ...[
      '1.0.0',
      'V1.0.0',
      'version v1.0.0',
      'v1',
      'v1.0',
      'v1..0',
      'v1.0.0.0',
      'v1.0.0-rc.1',
      'v1.0.0 ',
      'v1.0.0\n',
    ],
    ...['v01.0.0', 'v1.00.0', 'v-1.0.0', 'v1.0.٣'],
    ...['v9999999999999999.0.0', 'v0.9999999999999999.0', 'v0.0.9999999999999999'],
  ])('rejects %j', (text) => {
    expect(isVersion(text)).toBe(false)
  })
})

describe('compareVersions', () => {
  it('compares major, then minor, then patch', () => {
    const numbers = fc.tuple(number, number, number)
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const differs = one.findIndex((value, place) => value !== other[place])
        const expected =
          differs < 0 ? 0 : Math.sign((one[differs] ?? 0) - (other[differs] ?? 0))
        expect(
          Math.sign(compareVersions(`v${one.join('.')}`, `v${other.join('.')}`) || 0),
        ).toBe(expected)
      }),
    )
  })

  it('finds the highest version, or v0.0.0 in an empty list', () => {
    expect(highestVersion([])).toBe('v0.0.0')
    fc.assert(
      fc.property(fc.array(version, { minLength: 1 }), (versions) => {
        const highest = highestVersion(versions)
        expect(versions).toContain(highest)
        expect(versions.filter((one) => compareVersions(one, highest) > 0)).toEqual([])
      }),
    )
  })
})

describe('highestReleaseType', () => {
  it.each([
    [[], 'patch'],
    [['minor', 'patch'], 'minor'],
    [['patch', 'minor', 'major', 'minor'], 'major'],
  ] as const)('of %j is %s', (changes, expected) => {
    expect(highestReleaseType([...changes])).toBe(expected)
  })
})

describe('nextVersion', () => {
  it.each([
    ['v0.0.0', 'patch', 'v0.0.1'],
    ['v0.9.9', 'minor', 'v0.10.0'],
    ['v1.2.3', 'major', 'v2.0.0'],
    ['v999999999999999.5.0', 'major', 'v999999999999999.5.0'],
    ['v999999999999999.5.0', 'minor', 'v999999999999999.6.0'],
  ] as const)('after %s, %s, is %s', (from, change, to) => {
    expect(nextVersion(from, change)).toBe(to)
  })
})
