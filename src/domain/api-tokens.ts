import { isDate } from './timestamps.ts'

/** The scopes of API tokens, in the order of responses, each with those that it holds. */
const HELD = {
  'completions:write': ['processes:read'],
  'processes:read': [],
  'informers:read': ['processes:read'],
  'informers:write': ['completions:write', 'processes:read', 'informers:read'],
  'lists:write': [],
  'changelogs:write': [],
  'audit-events:read': [],
} as const

export type Scope = keyof typeof HELD

export const SCOPES = Object.keys(HELD) as Scope[] // which Object.keys does not say

export const isScope = (value: unknown): value is Scope =>
  SCOPES.some((scope) => scope === value)

/** What opens a route to API tokens: a scope, any token, or nothing but the login of a person. */
export type Opening = Scope | 'any' | 'login'

/** The scopes that open what a scope opens: itself, then those that hold it. */
export const scopesHolding = (scope: Scope): Scope[] => [
  scope,
  ...SCOPES.filter((one) => (HELD[one] as readonly Scope[]).includes(scope)),
]

/** Whether an API token with some scopes may do what a scope opens. */
export const holds = (scopes: readonly Scope[], scope: Scope): boolean =>
  scopesHolding(scope).some((one) => scopes.includes(one))

/** Whether an API token with some scopes opens a route. */
export const opens = (scopes: readonly Scope[], opening: Opening): boolean =>
  opening === 'any' || (opening !== 'login' && holds(scopes, opening))

/** An API token of 32 random bytes. Scanners find one that leaked by what it begins with. */
export const toApiToken = (base64url: string): string => `ips_${base64url}`

/** Whether a text has the form of an API token. */
export const isApiToken = (text: string): boolean => /^ips_[\w-]{43}$/.test(text)

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_LIFETIME_DAYS = 366

/** The end of the last day (UTC) of a token, in seconds since 1970. */
export const expiryOf = (expiresOn: string): number =>
  (Date.parse(expiresOn) + DAY_MS) / 1000

/** Whether a day may be the last one of a new token: from today to 366 days on, in UTC. */
export function isExpiryDay(day: string, now: Date): boolean {
  const dayIn = (days: number) =>
    new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10)
  return isDate(day) && day >= dayIn(0) && day <= dayIn(MAX_LIFETIME_DAYS)
}
