import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import type { AuthEnv } from './middleware/auth.ts'

/**
 * The id of what a request creates. With an `Idempotency-Key` (IETF draft of that name) one caller's key and
 * body always give the same id, so whoever got no answer may repeat the request: it creates nothing twice.
 *
 * @returns a UUID, of version 8 (RFC 9562) where it is derived
 */
export async function idempotentId(c: Context<AuthEnv>): Promise<string> {
  const key = c.req.header('Idempotency-Key')
  if (!key) return crypto.randomUUID()
  const request = JSON.stringify([c.get('caller').id, c.req.path, key, await c.req.text()])
  // keyed, because the body may hold a password
  const hex = createHmac('sha256', c.get('settings').JWT_SECRET).update(`request ${request}`).digest('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
