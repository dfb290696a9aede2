import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { type ReferenceTable, readReferenceList } from '../database/reference-lists.ts'
import { paginationOf } from '../domain/pagination.ts'
import { type ListItem, SearchableList } from '../domain/searchable-list.ts'
import { describeError, log } from '../log.ts'
import { inBackground } from './background.ts'
import { ageInSeconds, MAX_AGE, STALE_IF_ERROR, STALE_WHILE_REVALIDATE } from './cache-control.ts'
import { type OptionalAuthEnv, optionalAuth } from './middleware/auth.ts'
import { type CacheTag, cachedJson, conditionalGet } from './middleware/response-cache.ts'
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

/**
 * The route of a reference list: public, cacheable; searched, filtered and paginated in memory.
 *
 * @param options.query `referenceListQuery`, with additional filters named like columns
 * @param options.searched the columns to search
 */
export function referenceList<Table extends ReferenceTable, Filters extends z.core.$ZodShape>(options: {
  tag: CacheTag
  table: Table
  searched: (keyof Table['$inferSelect'] & string)[]
  query: ReturnType<typeof referenceListQuery<Filters>>
}) {
  return new Hono<OptionalAuthEnv>().get(
    '/',
    optionalAuth,
    validQuery(options.query),
    conditionalGet,
    async (c) => {
      const { search, page, per_page: perPage, ...filters } = c.req.valid('query') as ListQuery
      const matches = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
      const { list, revision, readAt } = await getList(c, options)
      const { items, total } = list.find({ search, matches }, { page, perPage })
      const pagination = paginationOf({ page, perPage }, total)
      const body = { success: true as const, data: items as Table['$inferSelect'][], pagination }
      const etag = `"${revision}.${c.env.VERSION.id}"` // the next version may represent the list differently
      return cachedJson(c, options.tag, body, { etag, readAt })
    },
  )
}

/** A list as read from the database, at `readAt` for the last time. */
type Snapshot = { list: SearchableList<ListItem>; revision: string; readAt: number; isRefreshing: boolean }
type Source = { tag: CacheTag; table: ReferenceTable; searched: string[] }

/** Per-isolate snapshots of each database, by list. */
const snapshots = new WeakMap<D1Database, Map<CacheTag, Snapshot>>()

/**
 * Returns the list from memory if fresh; if slightly stale, also refreshes it in the background. Otherwise, or with a
 * bookmark, reads it first, and serves the stale one for a while on errors. Concurrent first requests each read it: no
 * request may await another's I/O.
 */
async function getList(c: Context<OptionalAuthEnv>, source: Source): Promise<Snapshot> {
  const known = snapshots.get(c.env.DB)?.get(source.tag) ?? null
  const age = known ? ageInSeconds(known.readAt) : Number.POSITIVE_INFINITY
  if (known && !c.get('bookmark') && age < MAX_AGE + STALE_WHILE_REVALIDATE) {
    if (age >= MAX_AGE && !known.isRefreshing) {
      known.isRefreshing = true
      const reading = read(c, source, known).finally(() => {
        known.isRefreshing = false
      })
      inBackground(c, reading, `${source.tag} refresh failed`)
    }
    return known
  }
  try {
    return await read(c, source, known)
  } catch (error) {
    if (!known || age >= MAX_AGE + STALE_IF_ERROR) throw error
    const event = `${source.tag} refresh failed`
    log('error', { event, request_id: c.get('requestId'), ...describeError(error) })
    return known
  }
}

/** Reads the list, or only that the known snapshot is still current. */
async function read(
  c: Context<OptionalAuthEnv>,
  { tag, table, searched }: Source,
  known: Snapshot | null,
): Promise<Snapshot> {
  const readAt = Date.now()
  const changed = await readReferenceList(c.get('db'), table, known?.revision ?? null)
  const { list, revision } = changed
    ? {
        list: new SearchableList(changed.columns, searched as (keyof ListItem)[]),
        revision: changed.revision,
      }
    : (known as Snapshot)
  const snapshot = { list, revision, readAt, isRefreshing: false }
  const ofDatabase = snapshots.get(c.env.DB) ?? new Map<CacheTag, Snapshot>()
  snapshots.set(c.env.DB, ofDatabase.set(tag, snapshot))
  return snapshot
}
