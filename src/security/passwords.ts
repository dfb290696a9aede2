import type { BinaryLike, ScryptOptions } from 'node:crypto'

/**
 * OWASP Password Storage Cheat Sheet: scrypt with N=2^14, r=8, p=5. Of its options, one with little memory: 16 MiB in
 * an isolate of 128 MiB.
 */
const SCRYPT_PARAMS = { ln: 14, r: 8, p: 5 }
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const SALT_BYTES = 16
const HASH_BYTES = 32

const PHC =
  /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,2}),p=(?<p>\d{1,2})\$(?<salt>[\w+/]+)\$(?<hash>[\w+/]+)$/

/** Hashes a password into a PHC string: `$scrypt$ln=14,r=8,p=5$salt$hash`. */
export async function hashPassword(password: string, strength = SCRYPT_PARAMS): Promise<string> {
  const salt = Buffer.from(crypto.getRandomValues(new Uint8Array(SALT_BYTES)))
  const hash = await derive(password, salt, HASH_BYTES, strength)
  return `$scrypt$ln=${strength.ln},r=${strength.r},p=${strength.p}$${unpadded(salt)}$${unpadded(hash)}`
}

/**
 * Compares a password with a stored hash in constant time. Without a stored hash (no such user, or no password) it
 * does the same work and never matches, so that time discloses nothing.
 *
 * @returns whether it matches, and whether the hash has outdated parameters
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
): Promise<{ matches: boolean; needsRehash: boolean }> {
  const parts = stored?.match(PHC)?.groups
  if (!parts) {
    await derive(password, new Uint8Array(SALT_BYTES), HASH_BYTES, SCRYPT_PARAMS)
    return { matches: false, needsRehash: false }
  }
  const expected = Buffer.from(parts.hash ?? '', 'base64')
  const strength = { ln: Number(parts.ln), r: Number(parts.r), p: Number(parts.p) }
  const { timingSafeEqual } = await nodeCrypto()
  const actual = await derive(password, Buffer.from(parts.salt ?? '', 'base64'), expected.length, strength)
  return {
    matches: timingSafeEqual(actual, expected),
    needsRehash:
      strength.ln !== SCRYPT_PARAMS.ln || strength.r !== SCRYPT_PARAMS.r || strength.p !== SCRYPT_PARAMS.p,
  }
}

async function derive(
  password: string,
  salt: BinaryLike,
  bytes: number,
  strength: typeof SCRYPT_PARAMS,
): Promise<Buffer> {
  const options: ScryptOptions = {
    N: 2 ** strength.ln,
    r: strength.r,
    p: strength.p,
    maxmem: MAX_MEMORY_BYTES,
  }
  const { scrypt } = await nodeCrypto()
  return new Promise((resolve, reject) =>
    scrypt(password, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key))),
  )
}

/** Loaded with the first password: it would make every start a twentieth longer. */
const nodeCrypto = () => import('node:crypto')

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
