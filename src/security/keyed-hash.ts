import { createHmac } from 'node:crypto'
import type { Settings } from '../settings.ts'

/**
 * A hash under which an email, a CPF or an address can be counted and stored: without the secret nobody finds
 * out what it is of, not even by trying every CPF there is.
 *
 * @param parts what it is for, then the text itself; kept apart, so that no two lists have one hash
 */
export function keyedHash({ JWT_SECRET }: Pick<Settings, 'JWT_SECRET'>, ...parts: string[]): string {
  return createHmac('sha256', JWT_SECRET)
    .update(`pseudonym ${JSON.stringify(parts)}`)
    .digest('base64url')
}

/** The hash under which the logins of an email, a CPF or the id of a user without either are counted. */
export function identifierHash(settings: Pick<Settings, 'JWT_SECRET'>, identifier: string): string {
  return keyedHash(settings, 'identifier', identifier)
}
