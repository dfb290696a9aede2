import { createHmac } from 'node:crypto'
import type { Settings } from '../settings.ts'

/**
 * A hash under which an email, a CPF or an address can be counted and stored: without the secret nobody finds
 * out what it is of, not even by trying every CPF there is.
 */
export function keyedHash(text: string, { JWT_SECRET }: Pick<Settings, 'JWT_SECRET'>): string {
  return createHmac('sha256', JWT_SECRET).update(`pseudonym ${text}`).digest('base64url')
}
