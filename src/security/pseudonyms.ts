import { createHmac } from 'node:crypto'
import type { Settings } from '../settings.ts'

/**
 * A name under which an email, a CPF or an address may be counted and stored: always the same, and nobody
 * who has no secret finds out of whom it is, not even by trying all CPFs there are.
 */
export function pseudonym(text: string, { JWT_SECRET }: Pick<Settings, 'JWT_SECRET'>): string {
  return createHmac('sha256', JWT_SECRET).update(`pseudonym ${text}`).digest('base64url')
}
