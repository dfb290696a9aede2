import type { Settings } from '../settings.ts'

/**
 * A pseudonym to count and store an email, CPF or network. Without the secret it cannot be reversed, even by
 * enumerating all CPFs.
 *
 * @param parts a purpose, then the values; separated unambiguously, so that different lists never collide
 */
export async function keyedHash(
  { JWT_SECRET }: Pick<Settings, 'JWT_SECRET'>,
  ...parts: string[]
): Promise<string> {
  const content = encoder.encode(`pseudonym ${JSON.stringify(parts)}`)
  return toBase64Url(await crypto.subtle.sign('HMAC', await importKey(JWT_SECRET), content))
}

/** The hash that counts the logins of an identifier: an email, a CPF, or the id of a user with neither. */
export function identifierHash(settings: Pick<Settings, 'JWT_SECRET'>, identifier: string): Promise<string> {
  return keyedHash(settings, 'identifier', identifier)
}

/** The SHA-256 digest of a text. Enough to store a random token, whose entropy needs no key. */
export async function digest(text: string): Promise<string> {
  return toBase64Url(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

/** Keys, not promises: a request must not await another's promise. */
const keys = new Map<string, CryptoKey>()

/** The HMAC key of a secret, imported once. There are at most two secrets. */
export async function importKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret)
  if (known) return known
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
    'verify',
  ])
  keys.set(secret, key)
  return key
}

const encoder = new TextEncoder()

const toBase64Url = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url')
