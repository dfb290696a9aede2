import type { Context } from 'hono'
import type { IdempotentInsert } from '../database/idempotency-keys.ts'
import { keyedHash } from '../security/keyed-hash.ts'
import type { FieldErrors } from './errors.ts'
import type { AuthEnv } from './middleware/auth.ts'

/** The errors of a key that has created something from another body. */
export const KEY_REUSED: FieldErrors = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * What a request creates. With an `Idempotency-Key` (IETF draft of that name) one caller's key and content always
 * give the same id, so a client that got no response may repeat the request: it creates nothing twice.
 *
 * @param content the validated body, whose members are in the order of its schema, however they were sent
 * @returns a UUID, of version 8 (RFC 9562) where it is derived, and the hash of the key
 */
export function idempotentCreation(c: Context<AuthEnv>, content: object): IdempotentInsert {
  const { settings, caller } = c.var
  const key = c.req.header('Idempotency-Key')
  if (!key) return { id: crypto.randomUUID(), keyHash: null }
  const keyHash = keyedHash(settings, 'idempotency key', caller.id, c.req.path, key)
  // keyed, because the content may hold a password
  return { id: uuidOf(keyedHash(settings, 'content', keyHash, JSON.stringify(content))), keyHash }
}

function uuidOf(hash: string): string {
  const hex = Buffer.from(hash, 'base64url').toString('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
