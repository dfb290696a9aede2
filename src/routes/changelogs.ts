import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import type { TokenState } from '../database/access-tokens.ts'
import {
  areEntries,
  createEntry,
  deleteEntry,
  type Entry,
  findInvalidFields,
  listEntries,
  type NewEntry,
  readEntry,
  setPublished,
  updateEntry,
} from '../database/changelogs.ts'
import {
  CHANGELOG_CATEGORIES,
  createEntryBody,
  publishBody,
  UNKNOWN_IDS,
  updateEntryBody,
} from '../domain/changelog.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { cachedJson } from '../http/cache.ts'
import { errors, type FieldErrors } from '../http/errors.ts'
import {
  actorOf,
  assertNotRevoked,
  type OptionalAuthEnv,
  optionalAuth,
  requireAdmin,
} from '../http/middleware/auth.ts'
import { invalidates } from '../http/middleware/cache.ts'
import { jsonBody, validBody, validQuery } from '../http/middleware/validation.ts'
import {
  booleanParameter,
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  pageParameters,
  versionParameter,
} from '../http/query-parameters.ts'
import { resource } from '../http/resource.ts'
import { digest } from '../security/hashes.ts'

export const changelogsQuery = z
  .object({
    category: choiceParameter('category', CHANGELOG_CATEGORIES),
    version: versionParameter,
    is_published: booleanParameter('is_published', ['true', 'false', '1', '0']),
    ...dateRangeParameters,
    ...pageParameters,
  })
  .check(dateRangeInOrder)

/** Only administrators may list drafts; checked before query validation. */
const draftsForAdministrators: MiddlewareHandler = async (c, next) => {
  const listsDrafts = ['false', '0'].includes(c.req.query('is_published') ?? '')
  if (listsDrafts && c.get('caller')?.role !== 'administrator') return requireAdmin(c, next)
  await next()
}

const idOf = (c: Context) => c.req.param('changelog')?.toLowerCase() ?? ''

const entry = resource({
  noun: 'Registro',
  notFound: errors.entryNotFound,
  messages: { git_commit_hash: 'Este commit já está registrado.' },
  findInvalid: (c, fields: Partial<NewEntry>) => findInvalidFields(c.get('db'), fields, idOf(c)),
  read: async (c, id) => (await readEntry(c.get('db'), id, null)).entry,
  create: (c, { is_published, ...fields }: Omit<NewEntry, 'id'>) => {
    const entry = { ...fields, id: crypto.randomUUID(), is_published: is_published ?? false }
    return createEntry(c.get('db'), entry, actorOf(c))
  },
  update: (c, fields: Partial<NewEntry>) => {
    const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
    return updateEntry(c.get('db'), idOf(c), changes, actorOf(c))
  },
  remove: (c) => deleteEntry(c.get('db'), idOf(c), actorOf(c)),
  toData: (entry: Entry) => entry,
  toCreated: (data: Entry) => ({ data }),
})

/** The changelog: published entries are public, administrators manage it */
export const changelogs = new Hono<AppEnv>()
  .get('/', optionalAuth, draftsForAdministrators, validQuery(changelogsQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    return entriesJson(c, async (callerId) => {
      const shown = callerId ? filter : { ...filter, is_published: true }
      const { rows, total, tokenState } = await listEntries(
        c.get('db'),
        shown,
        { page, perPage },
        callerId,
      )
      const pagination = paginationOf({ page, perPage }, total)
      return { tokenState, body: { success: true as const, data: rows, pagination } }
    })
  })
  .get('/:changelog', optionalAuth, (c) =>
    entriesJson(c, async (callerId) => {
      const { entry, tokenState } = await readEntry(c.get('db'), idOf(c), callerId)
      const isShown = entry && (callerId || entry.is_published)
      return { tokenState, body: isShown ? { success: true as const, data: entry } : null }
    }),
  )
  .post(
    '/',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    entry.idempotent,
    entry.valid(createEntryBody),
    (c) => entry.create(c, c.req.valid('json')),
  )
  .post(
    '/publish',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    validBody(publishBody, async ({ ids }, c): Promise<FieldErrors> => {
      const areKnown = !ids || (await areEntries(c.get('db'), ids))
      return areKnown ? {} : { ids: [UNKNOWN_IDS] }
    }),
    async (c) => {
      const { version, ids, is_published } = c.req.valid('json')
      const isPublished = is_published ?? true
      const entries = await setPublished(
        c.get('db'),
        version ? { version } : { ids: ids ?? [] },
        isPublished,
        actorOf(c),
      )
      const data = { [isPublished ? 'published' : 'unpublished']: entries.length, entries }
      const message = `Registros ${isPublished ? 'publicados' : 'retirados'} com sucesso.`
      return c.json({ success: true, data, message })
    },
  )
  .put(
    '/:changelog',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    entry.valid(updateEntryBody),
    (c) => entry.update(c, c.req.valid('json')),
  )
  .delete('/:changelog', invalidates('changelogs'), requireAdmin, entry.remove)

/** Responds with all entries to an administrator, or with published ones to everybody else, and then cacheable. */
async function entriesJson<Body extends object>(
  c: Context<OptionalAuthEnv>,
  read: (callerId: string | null) => Promise<{ tokenState: TokenState | null; body: Body | null }>,
) {
  const caller = c.get('caller')
  const administrator = caller?.role === 'administrator' ? caller : null
  const readAt = Date.now()
  const { tokenState, body } = await read(administrator?.id ?? null)
  if (administrator) assertNotRevoked(administrator, tokenState)
  if (!body) throw errors.entryNotFound()
  if (administrator) return c.json(body)
  return cachedJson(c, 'changelogs', body, {
    etag: `"${await digest(JSON.stringify(body))}"`,
    readAt,
  })
}
