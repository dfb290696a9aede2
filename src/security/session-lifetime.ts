import type { Settings } from '#settings.ts'

const DEFAULT_SESSION_SECONDS = 12 * 60 * 60

export type Lifetimes = Pick<Settings, 'JWT_TTL_SECONDS' | 'SESSION_TTL_SECONDS'>

/** Returns when a session ends, in seconds since 1970: each of its tokens ends by then. */
export const sessionEnd = (
  authTime: number,
  { JWT_TTL_SECONDS, SESSION_TTL_SECONDS }: Lifetimes,
): number =>
  authTime + (SESSION_TTL_SECONDS ?? Math.max(DEFAULT_SESSION_SECONDS, JWT_TTL_SECONDS))
