import { type Context, Hono, type MiddlewareHandler } from 'hono'
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
import { findRole } from '../database/users.ts'
import { category, date, entryChanges, HASH_TAKEN, newEntry, version } from '../domain/changelog.ts'
import { paginationOf } from '../domain/pagination.ts'
import { jsonBody } from '../http/bodies.ts'
import {
  administratorsOnly,
  assertStanding,
  type CallerEnv,
  type PerhapsCallerEnv,
  tokenOptional,
} from '../http/guards.ts'
import { idToCreate } from '../http/idempotency.ts'
import { pageParameters } from '../http/pages.ts'
import { forgets, notModified, publicPage } from '../http/public-pages.ts'
import { type FieldErrors, InvalidData, refusals } from '../http/refusals.ts'
import { validBody, validQuery } from '../http/validation.ts'
import { syncFromGit } from './changelogs-sync.ts'

const FLAGS = { true: true, '1': true, false: false, '0': false } as const

export const changelogsQuery = z
  .object({
    category: z.optional(category),
    version: z.optional(version),
    is_published: z.optional(
      z.pipe(
        z.enum(['true', 'false', '1', '0'], 'O parâmetro is_published deve ser true ou false.'),
        z.transform((flag) => FLAGS[flag]),
      ),
    ),
    date_from: z.optional(date),
    date_to: z.optional(date),
    ...pageParameters,
  })
  .check(
    z.refine(({ date_from, date_to }) => !date_from || !date_to || date_from <= date_to, {
      path: ['date_to'],
      error: 'A data final deve ser igual ou posterior à data inicial.',
    }),
  )

/** Drafts are an administrator's: whoever asks for them alone is refused before the query is looked at. */
const draftsForAdministrators: MiddlewareHandler<PerhapsCallerEnv> = async (c, next) => {
  if (['false', '0'].includes(c.req.query('is_published') ?? '')) {
    const caller = c.get('caller')
    if (!caller) throw refusals.tokenMissing()
    if (caller.role !== 'administrator') {
      assertStanding(caller, await findRole(c.get('db'), caller.id))
      throw refusals.administratorsOnly()
    }
  }
  await next()
}

/** Reading the changelog: public where it is published (contract, section 6). */
const reading = new Hono<PerhapsCallerEnv>()
  .get('/', tokenOptional, draftsForAdministrators, validQuery(changelogsQuery), notModified, async (c) => {
    const query = c.req.valid('query')
    const { page, per_page: perPage, ...filter } = query
    const list = async (filter: ChangelogFilter, callerId: string | null) => {
      const { rows, total, role } = await listEntries(c.get('db'), filter, { page, perPage }, callerId)
      return { role, body: { success: true, data: rows, pagination: paginationOf({ page, perPage }, total) } }
    }
    const caller = c.get('caller')
    if (caller?.role === 'administrator') {
      const { role, body } = await list(filter, caller.id)
      assertStanding(caller, role)
      return c.json(body)
    }
    const published = { ...filter, is_published: true }
    const canonical = { ...query, ...published }
    return publicPage(c, 'changelogs', canonical, async () => (await list(published, null)).body)
  })
  .get('/:id', tokenOptional, notModified, async (c) => {
    const id = c.req.param('id').toLowerCase()
    const caller = c.get('caller')
    if (caller?.role === 'administrator') {
      const { entry, role } = await readEntry(c.get('db'), id, caller.id)
      assertStanding(caller, role)
      if (!entry) throw refusals.noEntry()
      return c.json({ success: true, data: entry })
    }
    return publicPage(c, 'changelogs', { id }, async () => {
      const { entry } = await readEntry(c.get('db'), id, null)
      if (!entry?.is_published) throw refusals.noEntry()
      return { success: true, data: entry }
    })
  })

/** What only the database finds wrong with a body that is bad in form. */
async function takenCommit(body: Record<string, unknown>, c: Context<CallerEnv>): Promise<FieldErrors> {
  const { data: hash } = entryChanges.shape.git_commit_hash.safeParse(body.git_commit_hash)
  const id = c.req.param('changelog')?.toLowerCase() ?? null
  return hash && (await isCommitTaken(c.get('db'), hash, id)) ? { git_commit_hash: [HASH_TAKEN] } : {}
}

/** Writing the changelog, by administrators. */
const writing = new Hono<CallerEnv>()
  .post(
    '/',
    forgets('changelogs'),
    administratorsOnly,
    jsonBody(),
    validBody(newEntry, takenCommit),
    async (c) => {
      const body = c.req.valid('json')
      const entry = await createEntry(c.get('db'), {
        ...body,
        id: await idToCreate(c),
        is_published: body.is_published ?? false,
      })
      if (!entry) throw new InvalidData({ git_commit_hash: [HASH_TAKEN] })
      return c.json({ success: true, data: entry, message: 'Registro criado com sucesso.' }, 201)
    },
  )
  .put(
    '/:changelog',
    forgets('changelogs'),
    administratorsOnly,
    jsonBody(),
    validBody(entryChanges, takenCommit),
    async (c) => {
      const sent = Object.entries(c.req.valid('json')).filter(([, value]) => value !== null)
      const id = c.req.param('changelog').toLowerCase()
      const { exists, entry } = await updateEntry(c.get('db'), id, Object.fromEntries(sent))
      if (!exists) throw refusals.noEntry()
      if (!entry) throw new InvalidData({ git_commit_hash: [HASH_TAKEN] })
      return c.json({ success: true, data: entry, message: 'Registro atualizado com sucesso.' })
    },
  )
  .delete('/:changelog', forgets('changelogs'), administratorsOnly, async (c) => {
    if (!(await deleteEntry(c.get('db'), c.req.param('changelog').toLowerCase()))) throw refusals.noEntry()
    return c.json({ success: true, message: 'Registro excluído com sucesso.' })
  })

export const changelogs = new Hono()
  .route('/', reading)
  .route('/', writing)
  .route('/sync-from-git', syncFromGit)
