import type { Scope } from '#domain/api-tokens.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** The user of a token: who logged in, or who made it for a program. */
export type Caller = {
  id: string
  role: RoleSlug
  tokenVersion: number
  /** In seconds since 1970. */
  expiresAt: number
  /** When the password was last given, in seconds since 1970; only of a login's token. */
  authTime?: number | undefined
  /** Only for an API token. */
  apiToken?: { id: string; scopes: Scope[] }
}

/** Returns whether a token has expired since it was verified. */
export const hasExpired = ({ expiresAt }: Caller): boolean =>
  expiresAt <= Date.now() / 1000
