import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod/mini'
import { getIdempotencyKey, type IdempotencyKey } from '#database/idempotency-keys.ts'
import { RefusedError } from '#database/transactions.ts'
import type { CallerEnv } from '#http/guards.ts'
import { logRefusedWrite } from '#http/response/error-responses.ts'
import { errors, ValidationError } from '#http/response/errors.ts'
import { keyedHash } from '#security/hashes.ts'

const REUSED = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * Handles an `Idempotency-Key` (the IETF draft of that name): for a week, a repeated POST gets the
 * row that the first one created, in its current state. It runs before validation, which would
 * refuse the repeated email. The handler stores `c.get('idempotencyKey')` in the transaction of the
 * creation.
 * @param schema of the body, which makes different spellings of one body equal
 * @param respond responds with the created row, by its id; null if it is deleted
 * @throws {ApiError} 409 if the created row has been deleted
 * @throws {ValidationError} if the key was used with another body
 */
export const repeatable = (
  schema: z.ZodMiniObject,
  respond: (c: Context<CallerEnv>, id: string) => Promise<Response | null>,
) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const sent = c.req.header('Idempotency-Key')
    const { data: body } = schema.safeParse(await c.req.json())
    if (!sent || !body) return next()

    const keys = hashKey(c, sent, body)
    const earlier = await repeat(c, keys, respond)
    if (earlier) return earlier

    c.set('idempotencyKey', keys[0])
    await next()
    // perhaps refused because the first request was committed meanwhile
    if (c.error instanceof ValidationError || c.error instanceof RefusedError) {
      const refused = c.res
      c.res = undefined // otherwise Hono adds its headers to the next response
      const repeated = await repeat(c, keys, respond)
      if (!repeated && c.error instanceof RefusedError) logRefusedWrite(c)
      c.res = repeated ?? refused
    }
  })

/**
 * Responds with the row that an earlier request with the same key created; null if there is none.
 */
async function repeat(
  c: Context<CallerEnv>,
  keys: IdempotencyKey[],
  respond: (c: Context<CallerEnv>, id: string) => Promise<Response | null>,
): Promise<Response | null> {
  const keyHashes = keys.map(({ key_hash }) => key_hash)
  const stored = await getIdempotencyKey(c.get('db'), keyHashes)
  if (!stored) return null

  const isSame = keys.some(({ content_hash }) => content_hash === stored.content_hash)
  if (!isSame) throw new ValidationError(REUSED)

  const response = await respond(c, stored.created_id)
  if (!response) throw errors.createdRecordDeleted()
  return response
}

/**
 * Hashes the key and body of a request, which may contain personal data, with the current secret,
 * then the previous one. Passwords are left out, because the hash is fast; null means not sent.
 */
function hashKey(c: Context<CallerEnv>, sent: string, body: object): IdempotencyKey[] {
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = c.get('settings')
  const { id, apiToken } = c.get('caller')
  const members = Object.entries(body).filter(([name]) => name !== 'password')
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1))
  const content = JSON.stringify(
    Object.fromEntries(sorted),
    (_, value) => value ?? undefined,
  )

  return [JWT_SECRET, JWT_SECRET_PREVIOUS].filter(Boolean).map((secret = '') => {
    const key_hash = keyedHash(
      secret,
      'idempotency key',
      apiToken?.id ?? id,
      c.req.path,
      sent,
    )
    return { key_hash, content_hash: keyedHash(secret, 'content', key_hash, content) }
  })
}
