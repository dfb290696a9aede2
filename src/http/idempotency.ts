import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod/mini'
import { getIdempotencyKey, type IdempotencyKey } from '../database/idempotency-keys.ts'
import { RefusedError } from '../database/transactions.ts'
import { keyedHash } from '../security/hashes.ts'
import { errors, ValidationError } from './errors.ts'
import type { CallerEnv } from './middleware/auth.ts'

const REUSED = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * Takes an `Idempotency-Key` (the IETF draft of that name): for a week, a repeated POST gets what
 * the first one created, as it is now. It stands before the validation, which would refuse the
 * repeated email. The handler stores `c.get('idempotencyKey')` in the transaction of the creation.
 * @param schema of the body, by which two spellings of one body are the same
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
    const repeated = await repeat(c, keys, respond)
    if (repeated) return repeated

    c.set('idempotencyKey', keys[0])
    await next()
    // refused, perhaps because the first request has been committed meanwhile
    if (c.error instanceof ValidationError || c.error instanceof RefusedError) {
      const refused = c.res
      c.res = undefined // or Hono adds its headers to the next response
      c.res = (await repeat(c, keys, respond)) ?? refused
    }
  })

/** Responds with the row of an earlier request with the same key; null if there is none. */
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
 * The key and the body of a request by the present secret, then by the previous one: both may hold
 * personal data. Passwords are left out, because this hash is a fast one; null means not sent.
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
