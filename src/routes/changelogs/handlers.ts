import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type * as z from 'zod/mini'
import {
  changelogsQuery,
  createEntryBody,
  ENTRY_MESSAGES,
  PUBLISH_MESSAGES,
  publishBody,
  updateEntryBody,
} from './schemas.ts'
import {
  createEntry,
  deleteEntry,
  setPublished,
  updateEntry,
} from '#database/changelog/changes.ts'
import { findInvalidEntryFields, findUnknownEntries } from '#database/changelog/check.ts'
import { type ChangelogEntry, getEntry, listEntries } from '#database/changelog/read.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import {
  actorOf,
  type CallerEnv,
  requireAdmin,
  showMoreToAdmins,
  type ViewerEnv,
} from '#http/guards.ts'
import { type BodyCheck, checkAgain, messagesOf } from '#http/request/body-checks.ts'
import { idempotencyKeysOf, repeatable } from '#http/request/idempotency.ts'
import { queryOf, uuidParam } from '#http/request/paths.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { cacheableJson } from '#http/response/cacheable.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import type { Responses } from '#routes/resources.ts'
import { digest } from '#security/hashes.ts'

const ONE = '/:changelog'

const CACHE_TAG = 'changelogs'

const idOf = uuidParam('changelog')

const findNewErrors: BodyCheck<z.output<typeof createEntryBody>> = async (fields, c) =>
  messagesOf(await findInvalidEntryFields(c.get('db'), fields, null), ENTRY_MESSAGES)

const findErrors: BodyCheck<z.output<typeof updateEntryBody>> = async (fields, c) =>
  messagesOf(await findInvalidEntryFields(c.get('db'), fields, idOf(c)), ENTRY_MESSAGES)

function createdResponse(c: Context<CallerEnv>, entry: ChangelogEntry) {
  c.status(201)
  return reply<'POST /v1/changelogs'>(c, {
    data: entry,
    message: messages.entryCreated,
  })
}

const findUnknown: BodyCheck<z.output<typeof publishBody>> = async (fields, c) =>
  messagesOf(await findUnknownEntries(c.get('db'), fields), PUBLISH_MESSAGES)

/** Administrators also see drafts. */
const showDrafts = showMoreToAdmins('changelogs:write')

/** Only administrators may list drafts; checked before query validation. */
const draftsForAdministrators: MiddlewareHandler<ViewerEnv> = async (c, next) => {
  const isPublished = queryOf(c.req.raw).get('is_published') ?? ''
  const listsDrafts = ['false', '0'].includes(isPublished)
  if (listsDrafts && !c.get('caller')) throw errors.missingToken()
  if (listsDrafts && !c.get('seesMore')) throw errors.administratorsOnly()
  await next()
}

/** Responds with entries: uncached to administrators, cacheable to everyone else. */
async function entriesResponse(
  c: Context<ViewerEnv>,
  body: Responses['GET /v1/changelogs' | 'GET /v1/changelogs/:changelog'],
  readAt: number,
): Promise<Response> {
  if (c.get('seesMore')) return c.json(body)
  const etag = `"${await digest(JSON.stringify(body))}"`
  return cacheableJson(c, CACHE_TAG, body, { etag, readAt })
}

/** The changelog: published entries are public, administrators manage it. */
export const changelogs = new Hono<AppEnv>()
  .get(
    '/',
    showDrafts,
    draftsForAdministrators,
    validQuery(changelogsQuery, { ignoresUnknown: true }),
    async (c) => {
      const { page, per_page: perPage, ...filter } = c.req.valid('query')
      const shown = c.get('seesMore') ? filter : { ...filter, is_published: true }
      const readAt = Date.now()
      const { rows, total } = await listEntries(c.get('db'), shown, { page, perPage })

      const pagination = paginationOf({ page, perPage }, total)
      return entriesResponse(c, { success: true, data: rows, pagination }, readAt)
    },
  )
  .get(ONE, showDrafts, async (c) => {
    const readAt = Date.now()
    const entry = await getEntry(c.get('db'), idOf(c))
    if (!entry || !(entry.is_published || c.get('seesMore'))) {
      throw errors.entryNotFound()
    }

    return entriesResponse(c, { success: true, data: entry }, readAt)
  })
  .post(
    '/',
    requireAdmin('changelogs:write'),
    jsonBody(),
    repeatable(async (c, id) => {
      const entry = await getEntry(c.get('db'), id, actorOf(c))
      return entry && createdResponse(c, entry)
    }),
    validBody(createEntryBody, findNewErrors),
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
        idempotencyKeysOf(c),
      ).catch(checkAgain(c, findNewErrors, body))
      return createdResponse(c, entry)
    },
  )
  .post(
    '/publish',
    requireAdmin('changelogs:write'),
    jsonBody(),
    validBody(publishBody, findUnknown),
    async (c) => {
      const { version, ids, is_published } = c.req.valid('json')
      const isPublished = is_published ?? true
      const selection = version ? { version } : { ids: ids ?? [] }
      const { changed, entries } = await setPublished(
        c.get('db'),
        selection,
        isPublished,
        actorOf(c),
      )

      return isPublished
        ? reply<'POST /v1/changelogs/publish'>(c, {
            data: { published: changed, entries },
            message: messages.entriesPublished,
          })
        : reply<'POST /v1/changelogs/publish'>(c, {
            data: { unpublished: changed, entries },
            message: messages.entriesUnpublished,
          })
    },
  )
  .put(
    ONE,
    requireAdmin('changelogs:write'),
    jsonBody(),
    validBody(updateEntryBody, findErrors),
    async (c) => {
      const changes = c.req.valid('json')
      const entry = await updateEntry(c.get('db'), idOf(c), changes, actorOf(c)).catch(
        checkAgain(c, findErrors, changes),
      )
      if (!entry) throw errors.entryNotFound()

      return reply<'PUT /v1/changelogs/:changelog'>(c, {
        data: entry,
        message: messages.entryUpdated,
      })
    },
  )
  .delete(ONE, requireAdmin('changelogs:write'), async (c) => {
    const deleted = await deleteEntry(c.get('db'), idOf(c), actorOf(c))
    if (!deleted) throw errors.entryNotFound()

    return reply<'DELETE /v1/changelogs/:changelog'>(c, {
      message: messages.entryDeleted,
    })
  })
