import { DAY_MS, isDate } from './timestamps.ts'

/** The scopes of API tokens, in the order of responses, each with the scopes it includes. */
const INCLUDED = {
  'completions:write': ['processes:read'],
  'processes:read': [],
  'informers:read': ['processes:read'],
  'informers:write': ['completions:write', 'processes:read', 'informers:read'],
  'lists:write': [],
  'changelogs:write': [],
  'audit-events:read': [],
} as const

export type Scope = keyof typeof INCLUDED

export const SCOPES = Object.keys(INCLUDED) as Scope[] // Object.keys returns plain strings

export const isScope = (value: unknown): value is Scope =>
  SCOPES.some((scope) => scope === value)

/**
 * What a route requires of an API token: a scope, no particular one, or the login of a person
 * instead, which closes the route to API tokens.
 */
export type RequiredScope = Scope | 'any' | 'login'

/** Returns a scope, then the scopes that include it. */
export const scopesIncluding = (scope: Scope): Scope[] => [
  scope,
  ...SCOPES.filter((one) => (INCLUDED[one] as readonly Scope[]).includes(scope)),
]

/** Returns whether some scopes permit what a route requires. */
export const permits = (scopes: readonly Scope[], required: RequiredScope): boolean =>
  required === 'any' ||
  (required !== 'login' && scopesIncluding(required).some((one) => scopes.includes(one)))

/** Returns an API token of 32 random bytes. Its prefix lets secret scanners find leaked ones. */
export const toApiToken = (base64url: string): string => `ips_${base64url}`

/** Returns whether a text has the form of an API token. */
export const isApiToken = (text: string): boolean => /^ips_[\w-]{43}$/.test(text)

const MAX_LIFETIME_DAYS = 366

/** The end of the last day (UTC) of a token, in seconds since 1970. */
export const expiryOf = (expiresOn: string): number =>
  (Date.parse(expiresOn) + DAY_MS) / 1000

/**
 * Returns whether a day may be the last one of a new token: in UTC, from today to 366 days from
 * now.
 */
export function isExpiryDay(day: string, now: Date): boolean {
  const dayIn = (days: number) =>
    new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10)
  return isDate(day) && day >= dayIn(0) && day <= dayIn(MAX_LIFETIME_DAYS)
}
