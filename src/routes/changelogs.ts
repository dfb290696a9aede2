import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { readTokenState } from '../database/access-tokens.ts'
import {
  type ChangelogFilter,
  createEntry,
  deleteEntry,
  type Entry,
  isCommitTaken,
  listEntries,
  readEntry,
  updateEntry,
} from '../database/changelogs.ts'
import type { Database } from '../database/client.ts'
import { CHANGELOG_CATEGORIES, createEntryBody, HASH_TAKEN, updateEntryBody } from '../domain/changelog.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { cachedJson } from '../http/cache.ts'
import { errors, type FieldErrors } from '../http/errors.ts'
import { idempotency, type IdempotencyEnv, refusal } from '../http/idempotency.ts'
import {
  actorOf,
  assertNotRevoked,
  type OptionalAuthEnv,
  optionalAuth,
  requireAdmin,
} from '../http/middleware/auth.ts'
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

/** The changelog: published entries are public, administrators manage it */
export const changelogs = new Hono<AppEnv>()
  .get('/', optionalAuth, draftsForAdministrators, validQuery(changelogsQuery), async (c) => {
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
  .get('/:changelog', optionalAuth, async (c) => {
    const id = idOf(c)
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
    idempotency(async (c, id) => {
      const { entry } = await readEntry(c.get('db'), id, null)
      return entry && created(c, entry)
    }),
    validBody(createEntryBody, async (fields, c: Context<IdempotencyEnv>) => ({
      ...c.get('idempotencyErrors'),
      ...(await takenCommit(c.get('db'), fields, null)),
    })),
    async (c) => {
      const body = c.req.valid('json')
      const entry = await createEntry(
        c.get('db'),
        { ...body, id: crypto.randomUUID(), is_published: body.is_published ?? false },
        c.get('idempotencyKey'),
        actorOf(c),
      )
      if (!entry) throw refusal(c, await takenCommit(c.get('db'), body, null))
      return created(c, entry)
    },
  )
  .put(
    '/:changelog',
    invalidates('changelogs'),
    requireAdmin,
    jsonBody(),
    validBody(updateEntryBody, (fields, c) => takenCommit(c.get('db'), fields, idOf(c))),
    async (c) => {
      const sent = Object.entries(c.req.valid('json')).filter(([, value]) => value !== null)
      const changes = Object.fromEntries(sent)
      const entry = await updateEntry(c.get('db'), idOf(c), changes, actorOf(c))
      if (!entry) throw errors.entryNotFound()
      if (entry === 'refused') throw refusal(c, await takenCommit(c.get('db'), changes, idOf(c)))
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

/** A cacheable response with published entries only. */
async function publicJson<Body extends object>(c: Context<OptionalAuthEnv>, read: () => Promise<Body>) {
  const readAt = Date.now()
  const body = await read()
  return cachedJson(c, 'changelogs', body, { etag: `"${await digest(JSON.stringify(body))}"`, readAt })
}

/** The error of a commit that another entry has. */
async function takenCommit(
  db: Database,
  { git_commit_hash: hash }: { git_commit_hash?: string | null | undefined },
  id: string | null,
): Promise<FieldErrors> {
  const isTaken = hash && (await isCommitTaken(db, hash, id))
  return isTaken ? { git_commit_hash: [HASH_TAKEN] } : {}
}
