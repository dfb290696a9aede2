import { sign, verify } from 'hono/jwt'
import { isRoleSlug, type RoleSlug } from '../domain/roles.ts'
import type { Settings } from '../settings.ts'
import { importKey } from './hashes.ts'

const ALGORITHM = 'HS256'
const ISSUER = 'informer-provisioning-service'
/** Seconds by which the issuer's clock may be ahead. */
const CLOCK_SKEW = 5
/** Base64url without padding. The last of the 43 characters of an HS256 signature has no spare bits. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** The initial token version of a user, and of tokens without one. */
const FIRST_VERSION = 1

/** The user of a token, from its claims. */
export type Caller = { id: string; role: RoleSlug; tokenVersion: number }

type Secrets = Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>

/** The error of an invalid token. It never holds the token. */
export class InvalidTokenError extends Error {
  readonly reason: 'expired' | 'invalid'
  constructor(reason: 'expired' | 'invalid') {
    super(`token ${reason}`)
    this.reason = reason
  }
}

/** Issues an access token (JWT, RFC 7519) that expires in `JWT_TTL_SECONDS`. */
export async function issueToken(
  { id, role, tokenVersion }: Caller,
  settings: Pick<Settings, 'JWT_SECRET' | 'JWT_TTL_SECONDS'>,
  now = new Date(),
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims = {
    iss: ISSUER,
    sub: id,
    role,
    token_version: tokenVersion,
    iat,
    exp: iat + settings.JWT_TTL_SECONDS,
    jti: crypto.randomUUID(),
  }
  return sign(claims, await importKey(settings.JWT_SECRET), ALGORITHM)
}

/**
 * Verifies the signature with the current or previous secret, then the claims, so that nothing is disclosed about a
 * forged token.
 *
 * @throws {InvalidTokenError} if malformed, of another algorithm, key or issuer, expired or not yet valid, or without
 * `exp`, `sub` or a known `role`
 */
export async function verifyToken(token: string, secrets: Secrets, now = new Date()): Promise<Caller> {
  const { exp, nbf, iat, sub, role, token_version = FIRST_VERSION } = await verifySignature(token, secrets)
  const seconds = now.getTime() / 1000
  const isWellFormed =
    typeof exp === 'number' &&
    typeof sub === 'string' &&
    sub !== '' &&
    isRoleSlug(role) &&
    typeof token_version === 'number' &&
    (nbf === undefined || (typeof nbf === 'number' && nbf <= seconds)) &&
    (iat === undefined || (typeof iat === 'number' && iat <= seconds + CLOCK_SKEW))
  if (!isWellFormed) throw new InvalidTokenError('invalid')
  if (exp <= seconds) throw new InvalidTokenError('expired')
  return { id: sub, role, tokenVersion: token_version }
}

async function verifySignature(token: string, secrets: Secrets): Promise<Record<string, unknown>> {
  if (!COMPACT_JWS.test(token)) throw new InvalidTokenError('invalid')
  for (const secret of [secrets.JWT_SECRET, secrets.JWT_SECRET_PREVIOUS]) {
    if (secret === undefined) continue
    try {
      const key = await importKey(secret)
      return await verify(token, key, { alg: ALGORITHM, iss: ISSUER, exp: false, nbf: false, iat: false })
    } catch {
      // The library's errors contain the token, so they are dropped.
    }
  }
  throw new InvalidTokenError('invalid')
}
