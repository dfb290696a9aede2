import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { IdempotencyKey } from '../database/audit-events.ts'
import { findIdempotencyKey } from '../database/writes.ts'
import { keyedHash } from '../security/hashes.ts'
import { errors, type FieldErrors, ValidationError } from './errors.ts'
import type { AuthEnv } from './middleware/auth.ts'

/** With the errors of a key that was used with another body. */
export type IdempotencyEnv = AuthEnv & { Variables: { idempotencyErrors?: FieldErrors } }

const REUSED: FieldErrors = { 'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'] }

/**
 * `Idempotency-Key` (IETF draft of that name), after `jsonBody`: for a week, a repeated POST gets what the first one
 * created, as it is now.
 * @param respond the 201 response with what has an id; null if that was deleted
 */
export const idempotency = (respond: (c: Context<IdempotencyEnv>, id: string) => Promise<Response | null>) =>
  createMiddleware<IdempotencyEnv>(async (c, next) => {
    const sent = c.req.header('Idempotency-Key')
    if (!sent) return next()
    const hashes = await hashKey(c, sent)
    const respondAgain = async () => {
      const keyHashes = hashes.map(({ key_hash }) => key_hash)
      const found = await findIdempotencyKey(c.get('db'), keyHashes)
      if (!found) return null
      if (!hashes.some(({ content_hash }) => content_hash === (found.content_hash ?? content_hash))) {
        c.set('idempotencyErrors', REUSED)
        return null
      }
      const response = await respond(c, found.created_id)
      if (!response) throw errors.createdRecordDeleted()
      return response
    }
    const repeated = await respondAgain()
    if (repeated) return repeated
    c.set('idempotencyKey', hashes[0])
    await next()
    // a simultaneous request with the same key may have been faster
    const faster = c.res.status === 422 ? await respondAgain() : null
    if (faster) c.res = faster
  })

/**
 * The error of a write that a unique index or a reference refused, from what a second check finds. Nothing means that a
 * simultaneous request has used the key, or that what was in the way is gone again.
 */
export function refusal(c: Context, found: FieldErrors): Error {
  if (Object.keys(found).length > 0) return new ValidationError(found)
  return c.get('idempotencyKey') ? new ValidationError(REUSED) : errors.serviceUnavailable()
}

/** The key and the body of a request by the present secret, then by the previous one. Both may hold personal data. */
async function hashKey(c: Context<IdempotencyEnv>, key: string): Promise<IdempotencyKey[]> {
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = c.get('settings')
  const content = JSON.stringify(Object.entries(await c.req.json<object>()).toSorted())
  return [JWT_SECRET, JWT_SECRET_PREVIOUS].filter(Boolean).map((secret = '') => {
    const key_hash = keyedHash({ JWT_SECRET: secret }, 'idempotency key', c.get('caller').id, c.req.path, key)
    return { key_hash, content_hash: keyedHash({ JWT_SECRET: secret }, 'content', key_hash, content) }
  })
}
