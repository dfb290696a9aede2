import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod/mini'
import type { Actor } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import type { IdempotencyKey } from '../../database/idempotency-keys.ts'
import {
  deleteReference,
  findInvalidReferenceFields,
  getReference,
  type ReferenceList,
  type ReferenceTable,
} from '../../database/reference-lists.ts'
import { type Pagination, paginationOf } from '../../domain/pagination.ts'
import {
  type ListFilter,
  type ListItem,
  searchList,
} from '../../domain/searchable-list.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { cacheableJson } from '../../http/cacheable.ts'
import { type ApiError, errors } from '../../http/errors.ts'
import { repeatable } from '../../http/idempotency.ts'
import {
  actorOf,
  type CallerEnv,
  optionalToken,
  requireAdmin,
} from '../../http/middleware/auth.ts'
import { invalidates } from '../../http/middleware/cache.ts'
import { jsonBody, validBody, validQuery } from '../../http/middleware/validation.ts'
import { type BodyCheck, checkAgain, ifRefused, messagesOf } from '../../http/refusals.ts'
import { createListReader } from './list-reader.ts'
import { REFERENCE_MESSAGES } from './schemas.ts'

type ListQuery = ListFilter & { page: number; per_page: number }

/** The parts of a list that differ from the others. Its rows are those of the OpenAPI schemas. */
type Definition<
  Row extends ListItem,
  CreateBody extends z.ZodMiniObject,
  UpdateBody extends z.ZodMiniObject,
> = {
  tag: string
  query: z.ZodMiniType<ListQuery>
  /** The name of the path parameter. */
  parameter: string
  list: ReferenceList<ReferenceTable, Row>
  searched: (keyof Row)[]
  createBody: CreateBody
  updateBody: UpdateBody
  create: (
    db: Database,
    body: z.output<CreateBody>,
    actor: Actor,
    key?: IdempotencyKey,
  ) => Promise<Row>
  update: (
    db: Database,
    id: number,
    body: z.output<UpdateBody>,
    actor: Actor,
  ) => Promise<Row | null>
  messages: { created: string; updated: string; deleted: string }
  notFound: () => ApiError
}

/** The responses of each list, as the OpenAPI description has them. */
type Responses<Row> = {
  list: { success: true; data: Row[]; pagination: Pagination }
  read: { success: true; data: Row }
  write: { success: true; data: Row; message: string }
  delete: { success: true; message: string }
}

/**
 * The routes of a reference list: public reads from memory, where the list is searched, filtered
 * and paginated; and writes by administrators.
 */
export function referenceListRoutes<
  Row extends ListItem,
  CreateBody extends z.ZodMiniObject,
  UpdateBody extends z.ZodMiniObject,
>(definition: Definition<Row, CreateBody, UpdateBody>) {
  const { tag, list, createBody, updateBody, messages, notFound } = definition
  const pathOfOne = `/:${definition.parameter}`
  const reader = createListReader(definition)

  /** The id of the path; 0, which no row has, if it is no positive integer. */
  const idOf = (c: Context) =>
    Number(c.req.param(definition.parameter)?.match(/^[1-9]\d{0,14}$/) ?? 0)

  const findErrors: BodyCheck<{
    name: string
    description: string
    state: string
  }> = async (fields, c) => {
    const id = c.req.method === 'POST' ? null : idOf(c)
    const invalid = await findInvalidReferenceFields(c.get('db'), list.table, fields, id)
    return messagesOf(invalid, REFERENCE_MESSAGES)
  }

  function createdResponse(c: Context, row: Row) {
    const response = {
      success: true,
      data: row,
      message: messages.created,
    } satisfies Responses<Row>['write']
    return c.json(response, 201)
  }

  /** After a successful write, this isolate also reads the list again. */
  const forgetsList = createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (c.res.ok) reader.forget(c.env.DB)
  })
  const requireWriter: MiddlewareHandler<CallerEnv> = every(
    invalidates(tag),
    forgetsList,
    requireAdmin,
  )

  return new Hono<AppEnv>()
    .get('/', optionalToken, validQuery(definition.query), async (c) => {
      const { page, per_page: perPage, ...filter } = c.req.valid('query')
      const stored = await reader.read(c)
      const { items, total } = searchList(stored.entries, filter, { page, perPage })
      const pagination = paginationOf({ page, perPage }, total)
      const body = {
        success: true,
        data: items,
        pagination,
      } satisfies Responses<Row>['list']
      return cacheableJson(c, tag, body, stored)
    })
    .get(pathOfOne, optionalToken, async (c) => {
      const stored = await reader.read(c)
      const entry = stored.entries.find(({ item }) => item.id === idOf(c))
      if (!entry) throw notFound()
      const body = { success: true, data: entry.item } satisfies Responses<Row>['read']
      return cacheableJson(c, tag, body, stored)
    })
    .post(
      '/',
      requireWriter,
      jsonBody(),
      repeatable(createBody, async (c, id) => {
        const row = await getReference(c.get('db'), list, Number(id))
        return row && createdResponse(c, row)
      }),
      validBody(createBody, findErrors),
      async (c) => {
        const body: z.output<CreateBody> = c.req.valid('json')
        const row = await definition
          .create(c.get('db'), body, actorOf(c), c.get('idempotencyKey'))
          .catch(checkAgain(c, findErrors, body))
        return createdResponse(c, row)
      },
    )
    .patch(
      pathOfOne,
      requireWriter,
      jsonBody(),
      validBody(updateBody, findErrors),
      async (c) => {
        const body: z.output<UpdateBody> = c.req.valid('json')
        const row = await definition
          .update(c.get('db'), idOf(c), body, actorOf(c))
          .catch(checkAgain(c, findErrors, body))
        if (!row) throw notFound()
        return c.json({
          success: true,
          data: row,
          message: messages.updated,
        } satisfies Responses<Row>['write'])
      },
    )
    .delete(pathOfOne, requireWriter, async (c) => {
      const isDeleted = await deleteReference(
        c.get('db'),
        list,
        idOf(c),
        actorOf(c),
      ).catch(ifRefused(errors.recordInUse))
      if (!isDeleted) throw notFound()
      return c.json({
        success: true,
        message: messages.deleted,
      } satisfies Responses<Row>['delete'])
    })
}
