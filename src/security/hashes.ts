import type { Settings } from '../settings.ts'
import { nodeCrypto } from './node-crypto.ts'

type Secrets = Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>

/**
 * A pseudonym to count and store an email, CPF or network. Without the secret it cannot be
 * reversed, even by enumerating all CPFs.
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
 * The pseudonym by the present secret, to store; and while there is one, that by the previous
 * secret.
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

/** The hashes by which the logins of an identifier are counted: an email, a CPF, or a user's id. */
export const identifierHashes = (secrets: Secrets, identifier: string) =>
  keyedHashes(secrets, 'identifier', identifier)

/** The hashes by which the emails to an address are counted. */
export const emailHashes = (secrets: Secrets, email: string) =>
  keyedHashes(secrets, 'email', email)

/** The SHA-256 digest of a text. Enough to store a random token, whose entropy needs no key. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(bytes).toString('base64url')
}
