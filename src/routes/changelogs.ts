import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import {
  type ChangelogFilter,
  createEntry,
  deleteEntry,
  isCommitTaken,
  listEntries,
  readEntry,
  updateEntry,
} from '../database/changelogs.ts'
import { readTokenState } from '../database/sessions.ts'
import { CHANGELOG_CATEGORIES, createEntryBody, HASH_TAKEN, updateEntryBody } from '../domain/changelog.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors, type FieldErrors, ValidationError } from '../http/errors.ts'
import { KEY_REUSED, prepareIdempotentInsert } from '../http/idempotency.ts'
import {
  type AuthEnv,
  actorOf,
  assertNotRevoked,
  type OptionalAuthEnv,
  optionalAuth,
  requireAdmin,
} from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { cachedJson, conditionalGet, entityTag, invalidates } from '../http/middleware/response-cache.ts'
import { validBody, validQuery } from '../http/middleware/validation.ts'
import {
  booleanParameter,
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  pageParameters,
  versionParameter,
} from '../http/query-parameters.ts'

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
const draftsForAdministrators: MiddlewareHandler<OptionalAuthEnv> = async (c, next) => {
  if (['false', '0'].includes(c.req.query('is_published') ?? '')) {
    const caller = c.get('caller')
    if (!caller) throw errors.missingToken()
    if (caller.role !== 'administrator') {
      assertNotRevoked(caller, await readTokenState(c.get('db'), caller.id))
      throw errors.administratorsOnly()
    }
  }
  await next()
}

/** The changelog: published entries are public, administrators manage it (contract, section 6). */
export const changelogs = new Hono<AppEnv>()
  .get('/', optionalAuth, draftsForAdministrators, validQuery(changelogsQuery), conditionalGet, async (c) => {
    const query = c.req.valid('query')
    const { page, per_page: perPage, ...filter } = query
    const list = async (filter: ChangelogFilter, callerId: string | null) => {
      const { rows, total, tokenState } = await listEntries(c.get('db'), filter, { page, perPage }, callerId)
      return {
        tokenState,
        body: { success: true as const, data: rows, pagination: paginationOf({ page, perPage }, total) },
      }
    }
    const caller = c.get('caller')
    if (caller?.role === 'administrator') {
      const { tokenState, body } = await list(filter, caller.id)
      assertNotRevoked(caller, tokenState)
      return c.json(body)
    }
    return publicJson(c, async () => (await list({ ...filter, is_published: true }, null)).body)
  })
  .get('/:changelog', optionalAuth, conditionalGet, async (c) => {
    const id = c.req.param('changelog').toLowerCase()
    const caller = c.get('caller')
    if (caller?.role === 'administrator') {
      const { entry, tokenState } = await readEntry(c.get('db'), id, caller.id)
      assertNotRevoked(caller, tokenState)
      if (!entry) throw errors.entryNotFound()
      return c.json({ success: true, data: entry })
    }
    return publicJson(c, async () => {
      const { entry } = await readEntry(c.get('db'), id, null)
      if (!entry?.is_published) throw errors.entryNotFound()
      return { success: true as const, data: entry }
    })
  })
  .post(
    '/',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    validBody(createEntryBody, takenCommit),
    async (c) => {
      const body = c.req.valid('json')
      const { entry, isKeyUnused } = await createEntry(
        c.get('db'),
        { ...body, ...(await prepareIdempotentInsert(c, body)), is_published: body.is_published ?? false },
        actorOf(c),
      )
      if (!isKeyUnused) throw new ValidationError(KEY_REUSED)
      if (!entry) throw new ValidationError({ git_commit_hash: [HASH_TAKEN] })
      return c.json({ success: true, data: entry, message: 'Registro criado com sucesso.' }, 201)
    },
  )
  .put(
    '/:changelog',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    validBody(updateEntryBody, takenCommit),
    async (c) => {
      const sent = Object.entries(c.req.valid('json')).filter(([, value]) => value !== null)
      const id = c.req.param('changelog').toLowerCase()
      const { exists, entry } = await updateEntry(c.get('db'), id, Object.fromEntries(sent), actorOf(c))
      if (!exists) throw errors.entryNotFound()
      if (!entry) throw new ValidationError({ git_commit_hash: [HASH_TAKEN] })
      return c.json({ success: true, data: entry, message: 'Registro atualizado com sucesso.' })
    },
  )
  .delete('/:changelog', invalidates('changelogs'), requireAdmin, async (c) => {
    if (!(await deleteEntry(c.get('db'), c.req.param('changelog').toLowerCase(), actorOf(c))))
      throw errors.entryNotFound()
    return c.json({ success: true, message: 'Registro excluído com sucesso.' })
  })

/** A cacheable response with published entries only. */
async function publicJson<Body extends object>(c: Context<OptionalAuthEnv>, read: () => Promise<Body>) {
  const readAt = Date.now()
  const body = await read()
  return cachedJson(c, 'changelogs', body, { etag: await entityTag(body), readAt })
}

/** Checks that the commit is unused even if other fields are invalid, so one 422 reports everything. */
async function takenCommit(body: Record<string, unknown>, c: Context<AuthEnv>): Promise<FieldErrors> {
  const { data: hash } = updateEntryBody.shape.git_commit_hash.safeParse(body.git_commit_hash)
  const id = c.req.param('changelog')?.toLowerCase() ?? null
  return hash && (await isCommitTaken(c.get('db'), hash, id)) ? { git_commit_hash: [HASH_TAKEN] } : {}
}
