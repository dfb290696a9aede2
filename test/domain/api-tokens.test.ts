import { describe, expect, it } from 'vitest'
import {
  expiryOf,
  isApiToken,
  isExpiryDay,
  permits,
  type Scope,
  SCOPES,
  scopesIncluding,
  toApiToken,
} from '#domain/api-tokens.ts'
import { randomToken } from '#security/hashes.ts'

describe('permits', () => {
  /** What each scope includes beside itself. */
  const INCLUDED: Record<Scope, Scope[]> = {
    'completions:write': ['processes:read'],
    'processes:read': [],
    'informers:read': ['processes:read'],
    'informers:write': ['completions:write', 'processes:read', 'informers:read'],
    'lists:write': [],
    'changelogs:write': [],
    'audit-events:read': [],
  }

  it.each(SCOPES)('%s includes itself and what the table says', (own) => {
    const held = SCOPES.filter((scope) => permits([own], scope))
    expect(held.toSorted()).toEqual([own, ...INCLUDED[own]].toSorted())
    for (const scope of held) expect(scopesIncluding(scope)).toContain(own)
  })

  it('is true of any of several, and of none never', () => {
    expect(permits(['lists:write', 'informers:write'], 'processes:read')).toBe(true)
    for (const scope of SCOPES) expect(permits([], scope)).toBe(false)
  })
})

it('permits a route that any token may use, and none that requires a login', () => {
  expect(permits(['audit-events:read'], 'any')).toBe(true)
  expect(permits([...SCOPES], 'login')).toBe(false)
})

it.each([
  [toApiToken('a'.repeat(43)), true],
  [toApiToken(`${'-_'.repeat(21)}A`), true],
  [toApiToken('a'.repeat(42)), false],
  [toApiToken('a'.repeat(44)), false],
  [toApiToken(`${'a'.repeat(42)}+`), false],
  [`IPS_${'a'.repeat(43)}`, false],
  ['a'.repeat(47), false],
  [`${toApiToken('a'.repeat(43))}\n`, false],
  ['', false],
])('%j is of the form of an API token: %s', (text, expected) => {
  expect(isApiToken(text)).toBe(expected)
})

it('a new token has the form, and no other has it too', () => {
  const tokens = Array.from({ length: 100 }, () => toApiToken(randomToken()))
  expect(tokens.every(isApiToken)).toBe(true)
  expect(new Set(tokens).size).toBe(100)
})

it('a token is good to the end of its day', () => {
  expect(expiryOf('2026-02-28')).toBe(Date.parse('2026-03-01T00:00:00Z') / 1000)
  expect(expiryOf('2026-12-31')).toBe(Date.parse('2027-01-01T00:00:00Z') / 1000)
})

describe.each(['2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z'])(
  'at %s',
  (now) => {
    it.each([
      ['2026-03-01', true],
      ['2026-02-28', false],
      ['2027-03-02', true],
      ['2027-03-03', false],
      ['2026-02-30', false],
      ['2026-3-1', false],
      ['2026-03-01T00:00:00Z', false],
      [' 2026-03-01', false],
      ['', false],
    ])('%j is a last day: %s', (day, expected) => {
      expect(isExpiryDay(day, new Date(now))).toBe(expected)
    })
  },
)
