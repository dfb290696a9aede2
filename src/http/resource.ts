import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod/mini'
import type { IdempotencyKey } from '../database/audit-events.ts'
import { findIdempotencyKey } from '../database/writes.ts'
import { keyedHash } from '../security/hashes.ts'
import { type ApiError, errors, type FieldErrors, ValidationError } from './errors.ts'
import type { AuthEnv } from './middleware/auth.ts'
import { validBody } from './middleware/validation.ts'

/** What administrators manage: its messages, and its reads and writes in the database. */
type Definition<Row, Fields, Data extends object, Created extends object> = {
  /** What the messages call a row, and the ending of its gender. */
  noun: string
  ending?: 'a' | 'o'
  notFound: () => ApiError
  /** Where others refer to the row. */
  inUse?: () => ApiError
  /** The messages of the fields that `findInvalid` finds. */
  messages: Record<string, string>
  findInvalid: (c: Context, fields: Fields) => Promise<string[]>
  /** The id of a path that has none is ''. */
  read: (c: Context, id: string) => Promise<Row | null>
  /** Null if refused by a unique index or a reference, because another request was faster. */
  create: (c: Context<IdempotencyEnv>, fields: never) => Promise<Row | null>
  update: (c: Context<AuthEnv>, fields: never) => Promise<Row | null | 'refused'>
  remove: (c: Context<AuthEnv>) => Promise<boolean | 'refused'>
  /** The row in responses, and what the 201 says of it. */
  toData: (row: Row) => Data
  toCreated: (row: Row) => Created
}

/** The handlers of a resource, which all work alike; each stands behind the guard and validation of its route. */
export function resource<Row, Fields, Data extends object, Created extends object>(
  definition: Definition<Row, Fields, Data, Created>,
) {
  const { noun, ending = 'o', notFound, messages, toData, toCreated } = definition
  const findErrors = async (fields: Fields, c: Context): Promise<FieldErrors> => {
    const invalid = await definition.findInvalid(c, fields)
    const found = invalid.map((field) => [field, [messages[field]]])
    return { ...c.get('idempotencyErrors'), ...Object.fromEntries(found) }
  }
  /** The error of a refused write, by a second check. None: what was in the way, if not the key, is gone again. */
  const refused = async (c: Context, fields: unknown) => {
    const found = await findErrors(fields as Fields, c)
    if (Object.keys(found).length > 0) return new ValidationError(found)
    const key = c.get('idempotencyKey')
    const isKeyUsed = key && (await findIdempotencyKey(c.get('db'), [key.key_hash]))
    return isKeyUsed ? new ValidationError(REUSED) : errors.serviceUnavailable()
  }
  const done = (participle: string) => `${noun} ${participle}${ending} com sucesso.`
  const created = (c: Context, row: Row) =>
    c.json({ success: true, ...toCreated(row), message: done('criad') }, 201)

  return {
    /** For a POST: see `idempotency`. */
    idempotent: idempotency(async (c, id) => {
      const row = await definition.read(c, id)
      return row && created(c, row)
    }),
    /** Validates a body, by the database too. */
    valid: <Schema extends z.ZodMiniObject>(schema: Schema) =>
      validBody(schema, (fields, c) => findErrors(fields as Fields, c)),
    read: async (c: Context, id: string) => {
      const row = await definition.read(c, id)
      if (!row) throw notFound()
      return c.json({ success: true, data: toData(row) })
    },
    create: async (c: Context<IdempotencyEnv>, fields: unknown) => {
      const row = await definition.create(c, fields as never)
      if (!row) throw await refused(c, fields)
      return created(c, row)
    },
    update: async (c: Context<AuthEnv>, fields: unknown) => {
      const row = await definition.update(c, fields as never)
      if (!row) throw notFound()
      if (row === 'refused') throw await refused(c, fields)
      return c.json({ success: true, data: toData(row), message: done('atualizad') })
    },
    remove: async (c: Context<AuthEnv>) => {
      const removed = await definition.remove(c)
      if (!removed) throw notFound()
      if (removed === 'refused') throw (definition.inUse ?? errors.recordInUse)()
      return c.json({ success: true, message: done('excluíd') })
    },
  }
}

/** With the errors of a key that was used with another body. */
type IdempotencyEnv = AuthEnv & { Variables: { idempotencyErrors?: FieldErrors } }

const REUSED: FieldErrors = {
  'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
}

/**
 * `Idempotency-Key` (IETF draft of that name), after `jsonBody`: for a week, a repeated POST gets what the first one
 * created, as it is now.
 * @param respond the 201 response with what has an id; null if that was deleted
 */
const idempotency = (
  respond: (c: Context<IdempotencyEnv>, id: string) => Promise<Response | null>,
) =>
  createMiddleware<IdempotencyEnv>(async (c, next) => {
    const sent = c.req.header('Idempotency-Key')
    if (!sent) return next()
    const hashes = await hashKey(c, sent)
    const keyHashes = hashes.map(({ key_hash }) => key_hash)
    const respondAgain = async () => {
      const found = await findIdempotencyKey(c.get('db'), keyHashes)
      if (!found) return null
      if (
        !hashes.some(({ content_hash }) => content_hash === (found.content_hash ?? content_hash))
      ) {
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

/** The key and the body of a request by the present secret, then by the previous one. Both may hold personal data. */
async function hashKey(c: Context<IdempotencyEnv>, key: string): Promise<IdempotencyKey[]> {
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = c.get('settings')
  const content = JSON.stringify(Object.entries(await c.req.json<object>()).toSorted())
  return [JWT_SECRET, JWT_SECRET_PREVIOUS].filter(Boolean).map((secret = '') => {
    const key_hash = keyedHash(
      { JWT_SECRET: secret },
      'idempotency key',
      c.get('caller').id,
      c.req.path,
      key,
    )
    return {
      key_hash,
      content_hash: keyedHash({ JWT_SECRET: secret }, 'content', key_hash, content),
    }
  })
}
