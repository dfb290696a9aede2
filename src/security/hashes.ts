import type { Settings } from '../settings.ts'
import { nodeCrypto } from './node-crypto.ts'

type Secret = Pick<Settings, 'JWT_SECRET'>

/**
 * A pseudonym to count and store an email, CPF or network. Without the secret it cannot be reversed, even by
 * enumerating all CPFs.
 * @param parts a purpose, then the values; separated unambiguously, so that different lists never collide
 */
export function keyedHash({ JWT_SECRET }: Secret, ...parts: string[]): string {
  return nodeCrypto()
    .createHmac('sha256', JWT_SECRET)
    .update(`pseudonym ${JSON.stringify(parts)}`)
    .digest('base64url')
}

/** The hash that counts the logins of an identifier: an email, a CPF, or the id of a user with neither. */
export const identifierHash = (settings: Secret, identifier: string) =>
  keyedHash(settings, 'identifier', identifier)

/** The SHA-256 digest of a text. Enough to store a random token, whose entropy needs no key. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(bytes).toString('base64url')
}
