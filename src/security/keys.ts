/** Keys, not promises: a request must not await another's promise. */
const keys = new Map<string, CryptoKey>()

/** The HMAC key of a secret, imported once. There are at most two secrets. */
export async function importKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret)
  if (known) return known
  const bytes = new TextEncoder().encode(secret)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify'])
  keys.set(secret, key)
  return key
}
