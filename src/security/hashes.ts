import { nodeCrypto } from './node-crypto.ts'
import type { Settings } from '#settings.ts'

type Secrets = Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>

/**
 * Returns a pseudonym under which an email, CPF or network is counted and stored. Without the
 * secret it cannot be reversed, even by enumerating all CPFs.
 * @param parts a purpose, then the values; separated unambiguously, so that different lists never
 *   collide
 */
export function keyedHash(secret: string, ...parts: string[]): string {
  return nodeCrypto()
    .createHmac('sha256', secret)
    .update(`pseudonym ${JSON.stringify(parts)}`)
    .digest('base64url')
}

/**
 * Returns the pseudonym by the current secret, to store, and by the previous secret, if there is
 * one.
 */
export function keyedHashes(
  { JWT_SECRET, JWT_SECRET_PREVIOUS }: Secrets,
  ...parts: string[]
): [string, ...string[]] {
  const present = keyedHash(JWT_SECRET, ...parts)
  return JWT_SECRET_PREVIOUS
    ? [present, keyedHash(JWT_SECRET_PREVIOUS, ...parts)]
    : [present]
}

/**
 * Returns the hashes by which the logins of an identifier are counted: an email, a CPF, or a user's
 * id.
 */
export const identifierHashes = (secrets: Secrets, identifier: string) =>
  keyedHashes(secrets, 'identifier', identifier)

/** Returns the hashes by which the emails to an address are counted. */
export const emailHashes = (secrets: Secrets, email: string) =>
  keyedHashes(secrets, 'email', email)

/**
 * Returns the SHA-256 digest of a text. It suffices for a random token, whose entropy makes a key
 * unnecessary.
 */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(bytes).toString('base64url')
}

const RANDOM_BYTES = 32

/** Returns a random token in base64url. */
export const randomToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString('base64url')
