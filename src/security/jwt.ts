import { sign, verify } from 'hono/utils/jwt/jwt'
import * as z from 'zod/mini'
import type { Caller } from './caller.ts'
import { ROLE_SLUGS } from '#domain/roles.ts'
import { secondsNow } from '#domain/timestamps.ts'
import type { Settings } from '#settings.ts'

const ALGORITHM = 'HS256'
const ISSUER = 'informer-provisioning-service'
/** Tolerance for an issuer's clock that is ahead, in seconds. */
const CLOCK_SKEW = 5
/**
 * Base64url without padding. The last of the 43 characters of an HS256 signature has no spare bits.
 */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** The required claims. */
const claimsSchema = z.object({
  sub: z.string().check(z.minLength(1)),
  role: z.enum(ROLE_SLUGS),
  token_version: z.number(),
  exp: z.number(),
  iat: z._default(z.number(), 0),
  auth_time: z.optional(z.number()),
})

const DEFAULT_SESSION_SECONDS = 12 * 60 * 60

type Lifetimes = Pick<Settings, 'JWT_TTL_SECONDS' | 'SESSION_TTL_SECONDS'>

/** Returns when a session ends, in seconds since 1970: each of its tokens ends by then. */
export const sessionEnd = (
  authTime: number,
  { JWT_TTL_SECONDS, SESSION_TTL_SECONDS }: Lifetimes,
): number =>
  authTime + (SESSION_TTL_SECONDS ?? Math.max(DEFAULT_SESSION_SECONDS, JWT_TTL_SECONDS))

/** Issues an access token (JWT, RFC 7519) for `JWT_TTL_SECONDS`, or for the rest of its session. */
export async function issueToken(
  {
    id,
    role,
    tokenVersion,
    authTime,
  }: Pick<Caller, 'id' | 'role' | 'tokenVersion' | 'authTime'>,
  settings: Pick<Settings, 'JWT_SECRET'> & Lifetimes,
): Promise<{ token: string; expiresIn: number }> {
  const iat = secondsNow()
  const end = authTime === undefined ? Infinity : sessionEnd(authTime, settings)
  const exp = Math.min(iat + settings.JWT_TTL_SECONDS, end)
  const claims = {
    iss: ISSUER,
    sub: id,
    role,
    token_version: tokenVersion,
    auth_time: authTime,
    iat,
    exp,
    jti: crypto.randomUUID(),
  }
  const token = await sign(claims, await keyOf(settings.JWT_SECRET), ALGORITHM)
  return { token, expiresIn: Math.max(exp - iat, 0) }
}

/**
 * Verifies the signature with the current or previous secret, then the claims, so that nothing is
 * disclosed about a forged token.
 * @returns `invalid` if malformed, of another algorithm, key or issuer, not yet valid, of a
 *   password given in the future, or without `exp`, `sub` or a known `role`
 */
export async function verifyToken(
  token: string,
  {
    JWT_SECRET,
    JWT_SECRET_PREVIOUS,
  }: Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>,
): Promise<Caller | 'expired' | 'invalid'> {
  const payload =
    (await verifySignature(token, JWT_SECRET)) ??
    (JWT_SECRET_PREVIOUS ? await verifySignature(token, JWT_SECRET_PREVIOUS) : null)
  const { data: claims } = claimsSchema.safeParse(payload)
  const now = Date.now() / 1000
  if (!claims) return 'invalid'
  const isAhead = Math.max(claims.iat, claims.auth_time ?? 0) > now + CLOCK_SKEW
  if (isAhead) return 'invalid'
  if (claims.exp <= now) return 'expired'
  return {
    id: claims.sub,
    role: claims.role,
    tokenVersion: claims.token_version,
    expiresAt: claims.exp,
    authTime: claims.auth_time,
  }
}

/**
 * Returns the payload; null if the token has another secret. The library's errors contain the
 * token, so they are dropped.
 */
async function verifySignature(token: string, secret: string): Promise<unknown> {
  if (!COMPACT_JWS.test(token)) return null
  const options = { alg: ALGORITHM, iss: ISSUER, exp: false, iat: false } as const
  return verify(token, await keyOf(secret), options).catch(() => null)
}

const keys = new Map<string, CryptoKey>()

/**
 * Imports a secret once. Given a string, Hono would import it for each token, and mistake one that
 * contains `PUBLIC` or `PRIVATE` for PEM.
 */
async function keyOf(secret: string): Promise<CryptoKey> {
  const imported = keys.get(secret)
  if (imported) return imported

  const bytes = new TextEncoder().encode(secret)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, [
    'sign',
    'verify',
  ])
  keys.set(secret, key)
  return key
}
