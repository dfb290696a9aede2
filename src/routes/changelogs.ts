import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import type { TokenState } from '../database/access-tokens.ts'
import {
  areEntries,
  createEntry,
  deleteEntry,
  type Entry,
  isCommitTaken,
  listEntries,
  readEntry,
  setPublished,
  updateEntry,
} from '../database/changelogs.ts'
import {
  CHANGELOG_CATEGORIES,
  createEntryBody,
  HASH_TAKEN,
  publishBody,
  UNKNOWN_IDS,
  updateEntryBody,
} from '../domain/changelog.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { cachedJson } from '../http/cache.ts'
import { errors, type FieldErrors } from '../http/errors.ts'
import { idempotency, type IdempotencyEnv, refusal } from '../http/idempotency.ts'
import { actorOf, assertNotRevoked, type OptionalAuthEnv, optionalAuth, requireAdmin } from '../http/middleware/auth.ts'
import { invalidates } from '../http/middleware/cache.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody, validQuery } from '../http/middleware/validation.ts'
import {
  booleanParameter,
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  pageParameters,
  versionParameter,
} from '../http/query-parameters.ts'
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

/** The changelog: published entries are public, administrators manage it */
export const changelogs = new Hono<AppEnv>()
  .get('/', optionalAuth, draftsForAdministrators, validQuery(changelogsQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    return entriesJson(c, async (callerId) => {
      const shown = callerId ? filter : { ...filter, is_published: true }
      const { rows, total, tokenState } = await listEntries(c.get('db'), shown, { page, perPage }, callerId)
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
    idempotency(async (c, id) => {
      const { entry } = await readEntry(c.get('db'), id, null)
      return entry && created(c, entry)
    }),
    validBody(createEntryBody, async (fields, c: Context<IdempotencyEnv>) => ({
      ...c.get('idempotencyErrors'),
      ...(await takenCommit(c, fields.git_commit_hash)),
    })),
    async (c) => {
      const body = c.req.valid('json')
      const entry = await createEntry(
        c.get('db'),
        { ...body, id: crypto.randomUUID(), is_published: body.is_published ?? false },
        c.get('idempotencyKey'),
        actorOf(c),
      )
      if (!entry) throw refusal(c, await takenCommit(c, body.git_commit_hash))
      return created(c, entry)
    },
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
      const { version, ids, is_published: isPublished } = c.req.valid('json')
      const selection = version === null ? { ids: ids ?? [] } : { version }
      const entries = await setPublished(c.get('db'), selection, isPublished ?? true, actorOf(c))
      const count = entries.length
      const isTakenBack = isPublished === false
      const data = isTakenBack ? { unpublished: count, entries } : { published: count, entries }
      const message = `Registros ${isTakenBack ? 'retirados' : 'publicados'} com sucesso.`
      return c.json({ success: true, data, message })
    },
  )
  .put(
    '/:changelog',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    validBody(updateEntryBody, (fields, c) => takenCommit(c, fields.git_commit_hash, idOf(c))),
    async (c) => {
      const body = c.req.valid('json')
      const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
      const entry = await updateEntry(c.get('db'), idOf(c), changes, actorOf(c))
      if (!entry) throw errors.entryNotFound()
      if (entry === 'refused') throw refusal(c, await takenCommit(c, body.git_commit_hash, idOf(c)))
      return c.json({ success: true, data: entry, message: 'Registro atualizado com sucesso.' })
    },
  )
  .delete('/:changelog', invalidates('changelogs'), requireAdmin, async (c) => {
    if (!(await deleteEntry(c.get('db'), idOf(c), actorOf(c)))) throw errors.entryNotFound()
    return c.json({ success: true, message: 'Registro excluído com sucesso.' })
  })

const idOf = (c: Context) => c.req.param('changelog')?.toLowerCase() ?? ''

function created(c: Context, entry: Entry) {
  return c.json({ success: true, data: entry, message: 'Registro criado com sucesso.' }, 201)
}

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
  return cachedJson(c, 'changelogs', body, { etag: `"${await digest(JSON.stringify(body))}"`, readAt })
}

/** The error of a commit that another entry has. */
async function takenCommit(c: Context, hash?: string | null, id?: string): Promise<FieldErrors> {
  const isTaken = hash && (await isCommitTaken(c.get('db'), hash, id ?? null))
  return isTaken ? { git_commit_hash: [HASH_TAKEN] } : {}
}
