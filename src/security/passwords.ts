import { inTurn } from './hashing-queue.ts'
import { nodeCrypto } from './node-crypto.ts'

/**
 * From the OWASP Password Storage Cheat Sheet: the scrypt option with 16 MiB, because an isolate
 * has 128.
 */
const SCRYPT_PARAMS = { ln: 14, r: 8, p: 5 }
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const SALT_BYTES = 16
const HASH_BYTES = 32

const PHC = /^(\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$)([\w+/]+)\$([\w+/]+)$/

/** Hashes a password into a PHC string: `$scrypt$ln=14,r=8,p=5$salt$hash`. */
export async function hashPassword(
  password: string,
  params = SCRYPT_PARAMS,
): Promise<string> {
  const salt = nodeCrypto().randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, HASH_BYTES, params)
  return `${prefix(params)}${unpadded(salt)}$${unpadded(hash)}`
}

/**
 * Compares a password with a stored hash in constant time. Without a stored hash (no such user, or
 * no password) it does the same work and never matches, so that its duration discloses nothing.
 * @returns whether it matches, and whether the hash has outdated parameters
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
): Promise<{ matches: boolean; needsRehash: boolean }> {
  const parts = PHC.exec(stored ?? '')
  if (!parts) {
    await derive(password, Buffer.alloc(SALT_BYTES), HASH_BYTES, SCRYPT_PARAMS)
    return { matches: false, needsRehash: false }
  }
  const [, storedPrefix, ln, r, p, salt = '', hash = ''] = parts
  const params = { ln: Number(ln), r: Number(r), p: Number(p) }
  const expected = Buffer.from(hash, 'base64')
  const actual = await derive(
    password,
    Buffer.from(salt, 'base64'),
    expected.length,
    params,
  )
  const matches = nodeCrypto().timingSafeEqual(actual, expected)
  return { matches, needsRehash: storedPrefix !== prefix(SCRYPT_PARAMS) }
}

function derive(
  password: string,
  salt: Buffer,
  bytes: number,
  { ln, r, p }: typeof SCRYPT_PARAMS,
) {
  const options = { N: 2 ** ln, r, p, maxmem: MAX_MEMORY_BYTES }
  const hash = () =>
    new Promise<Buffer>((resolve, reject) =>
      nodeCrypto().scrypt(password, salt, bytes, options, (error, key) =>
        error ? reject(error) : resolve(key),
      ),
    )
  return inTurn(hash)
}

const prefix = ({ ln, r, p }: typeof SCRYPT_PARAMS) => `$scrypt$ln=${ln},r=${r},p=${p}$`

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
