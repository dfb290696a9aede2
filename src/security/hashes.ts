import { createHash, createHmac } from 'node:crypto'
import type { Settings } from '../settings.ts'

/**
 * A pseudonym to count and store an email, CPF or network. Without the secret it cannot be reversed, even by
 * enumerating all CPFs.
 *
 * @param parts a purpose, then the values; separated unambiguously, so that different lists never collide
 */
export function keyedHash({ JWT_SECRET }: Pick<Settings, 'JWT_SECRET'>, ...parts: string[]): string {
  return createHmac('sha256', JWT_SECRET)
    .update(`pseudonym ${JSON.stringify(parts)}`)
    .digest('base64url')
}

/** The hash that counts the logins of an identifier: an email, a CPF, or the id of a user with neither. */
export function identifierHash(settings: Pick<Settings, 'JWT_SECRET'>, identifier: string): string {
  return keyedHash(settings, 'identifier', identifier)
}

/** The hash to store of an emailed token, which has enough entropy for one without a key. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
