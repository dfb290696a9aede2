import { sign, verify } from 'hono/jwt'
import { BoundedMemory } from '../bounded-memory.ts'
import { isRoleSlug, type RoleSlug } from '../domain/roles.ts'
import type { Settings } from '../settings.ts'

const ALGORITHM = 'HS256'
const ISSUER = 'informer-provisioning-service'
/** Seconds that the clock of the place which issued a token may run ahead of ours. */
const CLOCK_SKEW = 5
/** Base64url without padding; the last of the 43 characters of an HS256 signature carries no spare bits. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** How much is remembered of tokens whose signature was good, and for how long. */
const SIGNED = { entries: 1000, size: 1_000_000, milliseconds: 600_000 }

/** Who a token speaks for. */
export type Caller = { id: string; role: RoleSlug }

type Claims = Record<string, unknown>
type Secrets = Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>

/** Why a token is refused. It never holds the token. */
export class TokenRefused extends Error {
  readonly reason: 'expired' | 'invalid'
  constructor(reason: 'expired' | 'invalid') {
    super(`token ${reason}`)
    this.reason = reason
  }
}

/** Issues an access token (a JWT, RFC 7519) that lives `JWT_TTL_SECONDS`. */
export function issueToken(
  caller: Caller,
  settings: Pick<Settings, 'JWT_SECRET' | 'JWT_TTL_SECONDS'>,
  now = new Date(),
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims = {
    iss: ISSUER,
    sub: caller.id,
    role: caller.role,
    iat,
    exp: iat + settings.JWT_TTL_SECONDS,
    jti: crypto.randomUUID(),
  }
  return sign(claims, settings.JWT_SECRET, ALGORITHM)
}

/**
 * Verifies a token: first the signature, by the secret or the previous one, then the claims, so that
 * nothing is told about a token that is not ours.
 *
 * @throws {TokenRefused} where it is malformed, of another algorithm, key or issuer, expired or not yet
 * valid, or without `exp`, `sub` or a known `role`
 */
export async function verifyToken(token: string, secrets: Secrets, now = new Date()): Promise<Caller> {
  const claims = await signedClaims(token, secrets)
  const seconds = now.getTime() / 1000
  const { exp, nbf, iat, sub, role } = claims
  if (typeof exp !== 'number' || typeof sub !== 'string' || sub === '' || !isRoleSlug(role)) {
    throw new TokenRefused('invalid')
  }
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds)) throw new TokenRefused('invalid')
  if (iat !== undefined && !(typeof iat === 'number' && iat <= seconds + CLOCK_SKEW)) {
    throw new TokenRefused('invalid')
  }
  if (exp <= seconds) throw new TokenRefused('expired')
  return { id: sub, role }
}

/** What signed tokens say, by the secrets that were in force: a signature stays good, time is judged each time. */
const memories = new WeakMap<Secrets, BoundedMemory<Claims>>()

async function signedClaims(token: string, secrets: Secrets): Promise<Claims> {
  const memory = memories.get(secrets) ?? new BoundedMemory<Claims>(SIGNED)
  memories.set(secrets, memory)
  const known = memory.get(token)
  if (known) return known
  const claims = await verifiedClaims(token, secrets)
  memory.set(token, claims, token.length)
  return claims
}

async function verifiedClaims(token: string, secrets: Secrets): Promise<Claims> {
  if (!COMPACT_JWS.test(token)) throw new TokenRefused('invalid')
  for (const secret of [secrets.JWT_SECRET, secrets.JWT_SECRET_PREVIOUS]) {
    if (secret === undefined) continue
    try {
      return await verify(token, await keyOf(secret), {
        alg: ALGORITHM,
        iss: ISSUER,
        exp: false,
        nbf: false,
        iat: false,
      })
    } catch {
      // The library's errors hold the token: they end here.
    }
  }
  throw new TokenRefused('invalid')
}

/** Keys themselves, no promises: one request must not await the promise of another. */
const keys = new Map<string, CryptoKey>()

/** The key of a secret, imported once: there are never more than two. */
async function keyOf(secret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key =
    keys.get(secret) ??
    (await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']))
  keys.set(secret, key)
  return key
}
