import type { Settings } from '#settings.ts'

const IV_BYTES = 12

/**
 * Seals a secret to store it: AES-256-GCM with a random IV of 96 bits (NIST SP 800-38D).
 * @param jwtSecret the key is derived from it (HKDF, RFC 5869)
 * @param owner the owner: a secret sealed for one user cannot be opened for another
 * @returns base64url
 */
export async function seal(
  plaintext: Uint8Array,
  jwtSecret: string,
  owner: string,
): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const key = await deriveKey(jwtSecret)
  const ciphertext = await crypto.subtle.encrypt(parameters(iv, owner), key, plaintext)
  return Buffer.concat([iv, new Uint8Array(ciphertext)]).toString('base64url')
}

/** Opens an owner's sealed secret; null if its key or owner differs. */
export async function open(
  sealed: string,
  jwtSecret: string,
  owner: string,
): Promise<Uint8Array | null> {
  const bytes = Buffer.from(sealed, 'base64url')
  const [iv, ciphertext] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)]
  const key = await deriveKey(jwtSecret)
  const opened = crypto.subtle.decrypt(parameters(iv, owner), key, ciphertext)
  return opened.then((plaintext) => new Uint8Array(plaintext)).catch(() => null)
}

/** Opens with the current secret or, if there is one, the previous one. */
export async function openByEither(
  sealed: string,
  {
    JWT_SECRET,
    JWT_SECRET_PREVIOUS,
  }: Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>,
  owner: string,
): Promise<Uint8Array | null> {
  const plaintext = await open(sealed, JWT_SECRET, owner)
  return !plaintext && JWT_SECRET_PREVIOUS
    ? open(sealed, JWT_SECRET_PREVIOUS, owner)
    : plaintext
}

const parameters = (iv: Uint8Array, owner: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: Buffer.from(owner),
})

async function deriveKey(jwtSecret: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey(
    'raw',
    Buffer.from(jwtSecret),
    'HKDF',
    false,
    ['deriveKey'],
  )
  const hkdf = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: Buffer.from('second factor'),
  }
  const aes = { name: 'AES-GCM', length: 256 }
  return crypto.subtle.deriveKey(hkdf, secret, aes, false, ['encrypt', 'decrypt'])
}
