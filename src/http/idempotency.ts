import type { Context } from 'hono'
import { getIdempotencyKey, type IdempotencyKey } from '../database/idempotency-keys.ts'
import { keyedHash } from '../security/hashes.ts'
import { errors, type FieldErrors } from './errors.ts'
import type { CallerEnv } from './middleware/auth.ts'
import { type BodyCheck, refusal } from './refusals.ts'

// `Idempotency-Key` (the IETF draft of that name): for a week, a repeated POST gets what the first
// one created, as it is now.

type PostEnv = CallerEnv & {
  Variables: {
    /** What an earlier request with the same key created. */
    createdId?: string
  }
}

const REUSED: FieldErrors = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * The check of a POST that may be repeated: what an earlier request with the same key created
 * does not count as taken.
 */
export const unlessRepeated =
  <Body extends object>(check: BodyCheck<Body>): BodyCheck<Body> =>
  async (fields, c: Context<PostEnv>) => {
    const sent = c.req.header('Idempotency-Key')
    if (!sent) return check(fields, c)

    const keys = hashKey(c, sent, fields)
    const isReused = async () => {
      const stored = await getIdempotencyKey(
        c.get('db'),
        keys.map(({ key_hash }) => key_hash),
      )
      const isSame = keys.some(
        ({ content_hash }) => content_hash === stored?.content_hash,
      )
      if (stored && isSame) c.set('createdId', stored.created_id)
      return stored !== null && !isSame
    }

    if (await isReused()) return { ...REUSED, ...(await check(fields, c)) }
    if (c.get('createdId')) return {}
    c.set('idempotencyKey', keys[0])

    const found = await check(fields, c)
    if (Object.keys(found).length === 0) return {}
    // a simultaneous request with the same key may have been faster
    if (await isReused()) return { ...REUSED, ...found }
    return c.get('createdId') ? {} : found
  }

/**
 * Creates something once: what an earlier request with the same key created is read instead.
 * @param check that of the body, for a creation that the database refuses
 * @throws {ApiError} 409 if what was created is deleted; 503
 * @throws {ValidationError}
 */
export async function createOnce<Row>(
  c: Context<PostEnv>,
  {
    create,
    read,
    check,
  }: {
    create: () => Promise<Row | null>
    read: (id: string) => Promise<Row | null>
    check: () => Promise<FieldErrors>
  },
): Promise<Row> {
  const created = c.get('createdId') ? null : await create()
  if (created) return created

  const found = c.get('createdId') ? {} : await check()
  const createdId = c.get('createdId')
  if (!createdId) throw refusal(c, found)

  const earlier = await read(createdId)
  if (!earlier) throw errors.createdRecordDeleted()
  return earlier
}

/**
 * The key and the body of a request by the present secret, then by the previous one: both may hold
 * personal data. Passwords are left out, because this hash is a fast one; null means not sent.
 */
function hashKey(c: Context<PostEnv>, sent: string, body: object): IdempotencyKey[] {
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = c.get('settings')
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
      c.get('caller').id,
      c.req.path,
      sent,
    )
    return { key_hash, content_hash: keyedHash(secret, 'content', key_hash, content) }
  })
}
