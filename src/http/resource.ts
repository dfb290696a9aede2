import type { Context } from 'hono'
import type * as z from 'zod/mini'
import { type ApiError, errors, type FieldErrors } from './errors.ts'
import { idempotency, type IdempotencyEnv, refusal } from './idempotency.ts'
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
  const refused = async (c: Context, fields: unknown) => refusal(c, await findErrors(fields as Fields, c))
  const done = (participle: string) => `${noun} ${participle}${ending} com sucesso.`
  const created = (c: Context, row: Row) => c.json({ success: true, ...toCreated(row), message: done('criad') }, 201)

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
