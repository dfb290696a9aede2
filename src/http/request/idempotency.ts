import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { getIdempotencyKey, type IdempotencyKey } from '#database/idempotency-keys.ts'
import { RefusedError } from '#database/transactions.ts'
import type { CallerContext, CallerEnv } from '#http/guards.ts'
import { ApiError, errors, ValidationError } from '#http/response/errors.ts'
import { keyedHash } from '#security/hashes.ts'

const REUSED = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * Handles an `Idempotency-Key` (the IETF draft of that name): for a week, a repeated POST gets the
 * row that the first one created, in its current state. The handler stores `idempotencyKeysOf(c)`
 * in the transaction of the creation, which refuses a stored key. So only a refused request, also
 * one whose email or parent was fine the first time, has to look for an earlier one.
 * @param respond responds with the created row, by its id; null if it is deleted
 * @throws {ApiError} 409 if the created row has been deleted
 * @throws {ValidationError} if the key was used with another valid body
 */
export const repeatable = (
  respond: (c: Context<CallerEnv>, id: string) => Promise<Response | null>,
) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    await next()
    const keys = idempotencyKeysOf(c)
    if (keys.length === 0 || !isRefused(c.error)) return

    const stored = await getIdempotencyKey(c.get('db'), keys)
    if (!stored) return

    // otherwise Hono adds the headers of the refusal to the next response
    c.res = undefined
    c.finalized = false
    const isSame = keys.some(({ content_hash }) => content_hash === stored.content_hash)
    if (!isSame) throw new ValidationError(REUSED)

    const response = await respond(c, stored.created_id)
    if (!response) throw errors.createdRecordDeleted()
    c.error = undefined
    c.res = response
  })

const isRefused = (error: Error | undefined): boolean =>
  error instanceof ValidationError ||
  error instanceof RefusedError ||
  (error instanceof ApiError && error.status === 404)

/**
 * Refuses a request whose key is stored, as its write would be, so that a repetition is not asked
 * for a proof. One round trip if there is a key.
 * @throws {RefusedError}
 */
export async function refuseRepetition(c: CallerContext): Promise<void> {
  const keys = idempotencyKeysOf(c)
  const stored = keys.length > 0 && (await getIdempotencyKey(c.get('db'), keys))
  if (stored) throw new RefusedError('stored key')
}

/** Members of a body that are not compared: secrets, because the hash is fast. */
const SECRETS = ['password', 'current_password', 'code']

/**
 * Returns the key and body of a request as hashes with the current secret, then the previous one;
 * none without a key or a valid body. Both may contain personal data. Null means not sent.
 */
export function idempotencyKeysOf(c: CallerContext): IdempotencyKey[] {
  const sent = c.req.header('Idempotency-Key')
  const body = c.get('parsedBody')
  if (!sent || !body) return []

  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = c.get('settings')
  const { id, apiToken } = c.get('caller')
  const path = c.req.path.toLowerCase() // UUIDs are case-insensitive
  const members = Object.entries(body).filter(([name]) => !SECRETS.includes(name))
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1))
  const content = JSON.stringify(
    Object.fromEntries(sorted),
    (_, value) => value ?? undefined,
  )

  return [JWT_SECRET, JWT_SECRET_PREVIOUS].filter(Boolean).map((secret = '') => {
    const key_hash = keyedHash(secret, 'idempotency key', apiToken?.id ?? id, path, sent)
    return { key_hash, content_hash: keyedHash(secret, 'content', key_hash, content) }
  })
}
