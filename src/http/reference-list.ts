import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import {
  createReference,
  deleteReference,
  findInvalidFields,
  type NewReference,
  type Reference,
  type ReferenceList,
  type ReferenceTable,
  selectReferences,
  type UpdatedReference,
  updateReference,
} from '../database/reference-lists.ts'
import { paginationOf } from '../domain/pagination.ts'
import { REFERENCE_MESSAGES } from '../domain/reference.ts'
import { searchList, toSearchableList } from '../domain/searchable-list.ts'
import { describeError, log } from '../log.ts'
import { digest } from '../security/hashes.ts'
import type { AppEnv } from './app-env.ts'
import {
  ageInSeconds,
  type CachedList,
  cachedJson,
  cacheOf,
  type CacheTag,
  MAX_AGE,
  STALE_IF_ERROR,
} from './cache.ts'
import type { ApiError } from './errors.ts'
import { actorOf, type OptionalAuthEnv, optionalAuth, requireAdmin } from './middleware/auth.ts'
import { invalidates } from './middleware/cache.ts'
import { jsonBody, validQuery } from './middleware/validation.ts'
import { booleanParameter, pageParameters, searchParameter } from './query-parameters.ts'
import { resource } from './resource.ts'

/** The query of a reference list, with additional filters. */
export const referenceListQuery = <Filters extends z.core.$ZodShape>(filters: Filters) =>
  z.object({
    search: searchParameter,
    active: booleanParameter('active', ['true', 'false']),
    ...filters,
    ...pageParameters,
  })

type ListQuery = z.output<ReturnType<typeof referenceListQuery>>

type Source = ReferenceList & { tag: CacheTag; searched: (keyof NewReference)[] }

/**
 * The routes of a reference list: public reads from memory, where the list is searched, filtered and paginated; and
 * writes by administrators.
 * @param source the list, its cache tag and the columns that are searched
 * @param bodies beside the query, with additional filters named like columns, and the bodies
 * @param noun what the messages call a row, and the ending of its gender
 */
export function referenceList<
  Table extends ReferenceTable,
  const Type extends ReferenceList['type'],
  Query extends ReturnType<typeof referenceListQuery<z.core.$ZodShape>>,
  Bodies extends { create: z.ZodMiniObject; update: z.ZodMiniObject },
>(
  source: Source & { table: Table; type: Type },
  { query, ...bodies }: Bodies & { query: Query },
  { noun, ending, notFound }: { noun: string; ending: 'a' | 'o'; notFound: () => ApiError },
) {
  type Row = Omit<Table['$inferSelect'], 'name_folded'>
  const { table, tag } = source
  const one = `/:${source.type as Type}` as const
  /** The id of the path; 0, which no row has, if it is no positive integer. */
  const idOf = (c: Context) => Number(c.req.param(source.type)?.match(/^[1-9]\d{0,14}$/) ?? 0)
  const row = resource({
    noun,
    ending,
    notFound,
    messages: REFERENCE_MESSAGES,
    findInvalid: (c, fields: UpdatedReference) =>
      findInvalidFields(c.get('db'), table, fields, idOf(c)),
    read: async (c, id) => (await selectReferences(c.get('db'), table, Number(id)))[0] ?? null,
    create: (c, fields: NewReference) => createReference(c.get('db'), source, fields, actorOf(c)),
    update: (c, fields: UpdatedReference) =>
      updateReference(c.get('db'), source, idOf(c), fields, actorOf(c)),
    remove: (c) => deleteReference(c.get('db'), source, idOf(c), actorOf(c)),
    toData: (found: object) => found as Row,
    toCreated: (found: object) => ({ data: found as Row }),
  })

  return new Hono<AppEnv>()
    .get('/', optionalAuth, validQuery(query), async (c) => {
      const { search, page, per_page: perPage, ...filters } = c.req.valid('query') as ListQuery
      const matches = Object.fromEntries(
        Object.entries(filters).filter(([, value]) => value !== undefined),
      )
      const list = await getList(c, source)
      const { items, total } = searchList(list.entries, { search, matches }, { page, perPage })
      const pagination = paginationOf({ page, perPage }, total)
      const body = { success: true as const, data: items as object[] as Row[], pagination }
      return cachedJson(c, tag, body, list)
    })
    .get(one, optionalAuth, async (c) => {
      const list = await getList(c, source)
      const found = list.entries.find(({ item }) => item.id === idOf(c))
      if (!found) throw notFound()
      return cachedJson(c, tag, { success: true as const, data: found.item as Row }, list)
    })
    .post(
      '/',
      invalidates(tag),
      requireAdmin,
      jsonBody(),
      row.idempotent,
      row.valid(bodies.create),
      (c) => row.create(c, c.req.valid('json')),
    )
    .patch(one, invalidates(tag), requireAdmin, jsonBody(), row.valid(bodies.update), (c) =>
      row.update(c, c.req.valid('json')),
    )
    .delete(one, invalidates(tag), requireAdmin, row.remove)
}

/**
 * The list from memory while it is fresh, otherwise from the database. A caller with a token gets what was written
 * before, so it is always read for them. If the database fails, a stale list is served for a while.
 */
async function getList(c: Context<OptionalAuthEnv>, source: Source): Promise<CachedList> {
  const cache = cacheOf(c.env.DB)
  const cached = cache.list(source.tag)
  const age = cached ? ageInSeconds(cached.readAt) : Number.POSITIVE_INFINITY
  if (cached && age < MAX_AGE && !c.get('caller')) return cached
  const { generation } = cache
  try {
    const list = await readList(c, source)
    cache.putList(source.tag, list, generation)
    return list
  } catch (error) {
    if (!cached || age >= MAX_AGE + STALE_IF_ERROR) throw error
    const event = `${source.tag} not refreshed`
    log('error', { event, request_id: c.get('requestId'), ...describeError(error) })
    return cached
  }
}

async function readList(
  c: Context<OptionalAuthEnv>,
  { table, searched }: Source,
): Promise<CachedList> {
  const readAt = Date.now()
  const rows = await selectReferences(c.get('db'), table)
  return {
    entries: toSearchableList<Reference>(rows, searched),
    etag: `"${await digest(JSON.stringify(rows))}.${c.env.VERSION.id}"`, // the next version may show it differently
    readAt,
  }
}
