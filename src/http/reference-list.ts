import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { listReferences, type ReferenceTable } from '../database/reference-lists.ts'
import { paginationOf } from '../domain/pagination.ts'
import { searchList, toSearchableList } from '../domain/searchable-list.ts'
import { describeError, log } from '../log.ts'
import { digest } from '../security/hashes.ts'
import {
  ageInSeconds,
  type CachedList,
  cachedJson,
  cacheOf,
  type CacheTag,
  MAX_AGE,
  STALE_IF_ERROR,
} from './cache.ts'
import { type OptionalAuthEnv, optionalAuth } from './middleware/auth.ts'
import { validQuery } from './middleware/validation.ts'
import { booleanParameter, pageParameters, searchParameter } from './query-parameters.ts'

/** The query of a reference list, with additional filters. */
export const referenceListQuery = <Filters extends z.core.$ZodShape>(filters: Filters) =>
  z.object({
    search: searchParameter,
    active: booleanParameter('active', ['true', 'false']),
    ...filters,
    ...pageParameters,
  })

type ListQuery = z.output<ReturnType<typeof referenceListQuery>>

/** A reference list: its cache tag, its table and the columns that are searched. */
type Source<Table extends ReferenceTable> = {
  tag: CacheTag
  table: Table
  searched: (keyof Table['$inferSelect'] & string)[]
}

/**
 * The routes of a reference list: public, cacheable; searched, filtered and paginated in memory.
 *
 * @param query `referenceListQuery`, with additional filters named like columns
 */
export function referenceList<Table extends ReferenceTable, Filters extends z.core.$ZodShape>({
  query,
  ...source
}: Source<Table> & { query: ReturnType<typeof referenceListQuery<Filters>> }) {
  return new Hono<OptionalAuthEnv>().get('/', optionalAuth, validQuery(query), async (c) => {
    const { search, page, per_page: perPage, ...filters } = c.req.valid('query') as ListQuery
    const matches = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
    const list = await getList(c, source)
    const { items, total } = searchList(list.entries, { search, matches }, { page, perPage })
    const pagination = paginationOf({ page, perPage }, total)
    const body = { success: true as const, data: items as Table['$inferSelect'][], pagination }
    return cachedJson(c, source.tag, body, list)
  })
}

/**
 * The list from memory while it is fresh, otherwise from the database. A caller with a token gets what was written
 * before, so it is always read for them. If the database fails, a stale list is served for a while.
 */
async function getList<Table extends ReferenceTable>(
  c: Context<OptionalAuthEnv>,
  source: Source<Table>,
): Promise<CachedList> {
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

async function readList<Table extends ReferenceTable>(
  c: Context<OptionalAuthEnv>,
  { table, searched }: Source<Table>,
): Promise<CachedList> {
  const readAt = Date.now()
  const rows = await listReferences(c.get('db'), table)
  return {
    entries: toSearchableList(rows, searched),
    etag: `"${await digest(JSON.stringify(rows))}.${c.env.VERSION.id}"`, // the next version may show it differently
    readAt,
  }
}
