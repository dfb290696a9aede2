import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono'
import { every } from 'hono/combine'
import type * as z from 'zod/mini'
import type { ChangelogsResponses } from './openapi.ts'
import {
  changelogsQuery,
  createEntryBody,
  ENTRY_MESSAGES,
  publishBody,
  UNKNOWN_IDS,
  updateEntryBody,
} from './schemas.ts'
import {
  createEntry,
  deleteEntry,
  setPublished,
  updateEntry,
} from '#database/changelog/changes.ts'
import {
  areEntries,
  type ChangelogEntry,
  findInvalidEntryFields,
  getEntry,
  listEntries,
} from '#database/changelog/read.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import {
  actorOf,
  type CallerEnv,
  isAdministrator,
  optionalAdmin,
  type OptionalCallerEnv,
  requireAdmin,
} from '#http/guards.ts'
import { repeatable } from '#http/request/idempotency.ts'
import { uuidParam } from '#http/request/paths.ts'
import { type BodyCheck, checkAgain, messagesOf } from '#http/request/refusals.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { invalidates } from '#http/response/cache.ts'
import { cacheableJson } from '#http/response/cacheable.ts'
import { errors, type FieldErrors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { digest } from '#security/hashes.ts'

const ONE = '/:changelog'

const CACHE_TAG = 'changelogs'

const idOf = uuidParam('changelog')

const findErrors: BodyCheck<z.output<typeof createEntryBody>> = async (fields, c) => {
  const id = c.req.method === 'POST' ? null : idOf(c)
  const invalid = await findInvalidEntryFields(c.get('db'), fields, id)
  return messagesOf(invalid, ENTRY_MESSAGES)
}

function createdResponse(c: Context, entry: ChangelogEntry) {
  const response = {
    success: true,
    data: entry,
    message: messages.entryCreated,
  } satisfies ChangelogsResponses['POST /v1/changelogs']
  return c.json(response, 201)
}

const findUnknownIds: BodyCheck<z.output<typeof publishBody>> = async (
  { ids },
  c,
): Promise<FieldErrors> => {
  const areKnown = !ids || (await areEntries(c.get('db'), ids))
  return areKnown ? {} : { ids: [UNKNOWN_IDS] }
}

/** A successful write invalidates the public list. */
const requireWriter: MiddlewareHandler<CallerEnv> = every(
  invalidates(CACHE_TAG),
  requireAdmin,
)

/** Only administrators may list drafts; checked before query validation. */
const draftsForAdministrators: MiddlewareHandler<OptionalCallerEnv> = async (c, next) => {
  const listsDrafts = ['false', '0'].includes(c.req.query('is_published') ?? '')
  if (listsDrafts && !c.get('caller')) throw errors.missingToken()
  if (listsDrafts && !isAdministrator(c)) throw errors.administratorsOnly()
  await next()
}

/** Responds with entries: uncached to administrators, cacheable to everyone else. */
async function entriesResponse(
  c: Context<OptionalCallerEnv>,
  body: object,
  readAt: number,
): Promise<Response> {
  if (isAdministrator(c)) return c.json(body)
  const etag = `"${await digest(JSON.stringify(body))}"`
  return cacheableJson(c, CACHE_TAG, body, { etag, readAt })
}

/** The changelog: published entries are public, administrators manage it. */
export const changelogs = new Hono<AppEnv>()
  .get(
    '/',
    optionalAdmin,
    draftsForAdministrators,
    validQuery(changelogsQuery, { ignoresUnknown: true }),
    async (c) => {
      const { page, per_page: perPage, ...filter } = c.req.valid('query')
      const shown = isAdministrator(c) ? filter : { ...filter, is_published: true }
      const readAt = Date.now()
      const { rows, total } = await listEntries(c.get('db'), shown, { page, perPage })

      const body = {
        success: true,
        data: rows,
        pagination: paginationOf({ page, perPage }, total),
      } satisfies ChangelogsResponses['GET /v1/changelogs']
      return entriesResponse(c, body, readAt)
    },
  )
  .get(ONE, optionalAdmin, async (c) => {
    const readAt = Date.now()
    const entry = await getEntry(c.get('db'), idOf(c))
    if (!entry || !(entry.is_published || isAdministrator(c))) {
      throw errors.entryNotFound()
    }

    const body = {
      success: true,
      data: entry,
    } satisfies ChangelogsResponses['GET /v1/changelogs/:changelog']
    return entriesResponse(c, body, readAt)
  })
  .post(
    '/',
    requireWriter,
    jsonBody(),
    repeatable(createEntryBody, async (c, id) => {
      const entry = await getEntry(c.get('db'), id)
      return entry && createdResponse(c, entry)
    }),
    validBody(createEntryBody, findErrors),
    async (c) => {
      const body = c.req.valid('json')
      const newEntry = {
        ...body,
        id: crypto.randomUUID(),
        is_published: body.is_published ?? false,
      }
      const entry = await createEntry(
        c.get('db'),
        newEntry,
        actorOf(c),
        c.get('idempotencyKey'),
      ).catch(checkAgain(c, findErrors, body))
      return createdResponse(c, entry)
    },
  )
  .post(
    '/publish',
    requireWriter,
    jsonBody(),
    validBody(publishBody, findUnknownIds),
    async (c) => {
      const { version, ids, is_published } = c.req.valid('json')
      const isPublished = is_published ?? true
      const selection = version ? { version } : { ids: ids ?? [] }
      const entries = await setPublished(c.get('db'), selection, isPublished, actorOf(c))

      const published = {
        success: true,
        data: { published: entries.length, entries },
        message: messages.entriesPublished,
      } satisfies ChangelogsResponses['POST /v1/changelogs/publish']
      const unpublished = {
        success: true,
        data: { unpublished: entries.length, entries },
        message: messages.entriesUnpublished,
      } satisfies ChangelogsResponses['POST /v1/changelogs/publish']
      return c.json(isPublished ? published : unpublished)
    },
  )
  .put(
    ONE,
    requireWriter,
    jsonBody(),
    validBody(updateEntryBody, findErrors),
    async (c) => {
      const changes = c.req.valid('json')
      const entry = await updateEntry(c.get('db'), idOf(c), changes, actorOf(c)).catch(
        checkAgain(c, findErrors, changes),
      )
      if (!entry) throw errors.entryNotFound()

      return c.json({
        success: true,
        data: entry,
        message: messages.entryUpdated,
      } satisfies ChangelogsResponses['PUT /v1/changelogs/:changelog'])
    },
  )
  .delete(ONE, requireWriter, async (c) => {
    const deleted = await deleteEntry(c.get('db'), idOf(c), actorOf(c))
    if (!deleted) throw errors.entryNotFound()

    return c.json({
      success: true,
      message: messages.entryDeleted,
    } satisfies ChangelogsResponses['DELETE /v1/changelogs/:changelog'])
  })
