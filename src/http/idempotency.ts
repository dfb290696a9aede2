import type { Context } from 'hono'
import type { IdempotentInsert } from '../database/idempotency-keys.ts'
import { keyedHash } from '../security/hashes.ts'
import type { FieldErrors } from './errors.ts'
import type { AuthEnv } from './middleware/auth.ts'

/** The errors of a key that was used with another body. */
export const KEY_REUSED: FieldErrors = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * The id to create. With an `Idempotency-Key` (IETF draft of that name) it derives from the caller, key and content,
 * so a client without a response can safely retry.
 *
 * @param content the validated body, with its members in schema order
 * @returns a UUID (version 8 of RFC 9562 if derived) and the hash of the key
 */
export async function prepareIdempotentInsert(
  c: Context<AuthEnv>,
  content: object,
): Promise<IdempotentInsert> {
  const key = c.req.header('Idempotency-Key')
  if (!key) return { id: crypto.randomUUID(), keyHash: null }
  const settings = c.get('settings')
  const keyHash = await keyedHash(settings, 'idempotency key', c.get('caller').id, c.req.path, key)
  // keyed, because the content may hold a password
  return { id: uuidOf(await keyedHash(settings, 'content', keyHash, JSON.stringify(content))), keyHash }
}

function uuidOf(hash: string): string {
  const hex = Buffer.from(hash, 'base64url').toString('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
