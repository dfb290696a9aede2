import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { createListReader } from './list-reader.ts'
import type { ReferenceList } from './lists.ts'
import { REFERENCE_MESSAGES } from './schemas.ts'
import {
  createReference,
  deleteReference,
  findInvalidReferenceFields,
  getReference,
  type ReferenceRow,
  updateReference,
} from '#database/reference-lists.ts'
import { paginationOf } from '#domain/pagination.ts'
import { searchList } from '#domain/searchable-list.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, type CallerEnv, optionalToken, requireAdmin } from '#http/guards.ts'
import {
  type BodyCheck,
  checkAgain,
  ifRefused,
  messagesOf,
} from '#http/request/body-checks.ts'
import { idempotencyKeysOf, repeatable } from '#http/request/idempotency.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { cacheableJson } from '#http/response/cacheable.ts'
import { errors } from '#http/response/errors.ts'

/**
 * The routes of a reference list: public reads from memory, where the list is searched, filtered
 * and paginated; and writes by administrators.
 */
export function referenceListRoutes(list: ReferenceList) {
  const { name, createBody, updateBody, messages, notFound } = list
  const ONE = `/:${list.type}`
  const reader = createListReader(list)

  /** Returns the id of the path; 0, which no row has, if it is not a positive integer. */
  const idOf = (c: Pick<Context, 'req'>) =>
    Number(c.req.param(list.type)?.match(/^[1-9]\d{0,14}$/) ?? 0)

  type Body = { name: string; state: string }

  const findNewErrors: BodyCheck<Body> = async (fields, c) =>
    messagesOf(
      await findInvalidReferenceFields(c.get('db'), list, fields, null),
      REFERENCE_MESSAGES,
    )

  const findErrors: BodyCheck<Body> = async (fields, c) =>
    messagesOf(
      await findInvalidReferenceFields(c.get('db'), list, fields, idOf(c)),
      REFERENCE_MESSAGES,
    )

  const createdResponse = (c: Context<CallerEnv>, row: ReferenceRow) =>
    c.json({ success: true, data: row, message: messages.created }, 201)

  /** After a successful write, this isolate also reads the list again. */
  const forgetsList = createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (c.res.ok) reader.forget(c.env.DB)
  })
  const requireWriter: MiddlewareHandler<CallerEnv> = every(
    forgetsList,
    requireAdmin('lists:write'),
  )

  return new Hono<AppEnv>()
    .get(
      '/',
      optionalToken,
      validQuery(list.query, { ignoresUnknown: true }),
      async (c) => {
        const { page, per_page: perPage, ...filter } = c.req.valid('query')
        const stored = await reader.read(c)
        const { items, total } = searchList(stored.list, filter, { page, perPage })
        const pagination = paginationOf({ page, perPage }, total)
        return cacheableJson(c, name, { success: true, data: items, pagination }, stored)
      },
    )
    .get(ONE, optionalToken, async (c) => {
      const id = idOf(c)
      const stored = await reader.read(c)
      const entry = stored.list.entries.find(({ item }) => item.id === id)
      if (!entry) throw notFound()
      return cacheableJson(c, name, { success: true, data: entry.item }, stored)
    })
    .post(
      '/',
      requireWriter,
      jsonBody(),
      repeatable(async (c, id) => {
        const row = await getReference(c.get('db'), list, Number(id), actorOf(c))
        return row && createdResponse(c, row)
      }),
      validBody(createBody, findNewErrors),
      async (c) => {
        const body = c.req.valid('json')
        const row = await createReference(
          c.get('db'),
          list,
          body,
          actorOf(c),
          idempotencyKeysOf(c),
        ).catch(checkAgain(c, findNewErrors, body))
        return createdResponse(c, row)
      },
    )
    .patch(
      ONE,
      requireWriter,
      jsonBody(),
      validBody(updateBody, findErrors),
      async (c) => {
        const changes = c.req.valid('json')
        const row = await updateReference(
          c.get('db'),
          list,
          idOf(c),
          changes,
          actorOf(c),
        ).catch(checkAgain(c, findErrors, changes))
        if (!row) throw notFound()
        return c.json({ success: true, data: row, message: messages.updated })
      },
    )
    .delete(ONE, requireWriter, async (c) => {
      const isDeleted = await deleteReference(
        c.get('db'),
        list,
        idOf(c),
        actorOf(c),
      ).catch(ifRefused(errors.recordInUse))
      if (!isDeleted) throw notFound()
      return c.json({ success: true, message: messages.deleted })
    })
}
