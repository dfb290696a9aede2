import { and, count, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import { changelogs } from '#database/schema/changelogs.ts'
import { type Exactly, unindexed } from '#database/sql/conditions.ts'
import { readPage } from '#database/sql/pages.ts'
import { readRow } from '#database/transactions.ts'
import type { ChangelogCategory } from '#domain/changelog.ts'
import { offsetOf, type Page } from '#domain/pagination.ts'
import { numbersOf, type Version } from '#domain/versions.ts'

const { version_major, version_minor, version_patch } = changelogs

/** The columns of an entry in responses. */
export const entryColumns = {
  id: changelogs.id,
  version: changelogs.version,
  date: changelogs.date,
  title: changelogs.title,
  description: changelogs.description,
  category: changelogs.category,
  is_published: changelogs.is_published,
  git_commit_hash: changelogs.git_commit_hash,
  created_at: changelogs.created_at,
  updated_at: changelogs.updated_at,
}

export type ChangelogEntry = Pick<
  typeof changelogs.$inferSelect,
  keyof typeof entryColumns
>

/** Newest date first, then highest version, then newest created. */
export const NEWEST_FIRST = [
  desc(changelogs.date),
  desc(version_major),
  desc(version_minor),
  desc(version_patch),
  desc(changelogs.created_at),
  desc(changelogs.id),
]

type EntryFilter = {
  category?: ChangelogCategory | undefined
  version?: Version | undefined
  is_published?: boolean | undefined
  date_from?: string | undefined
  date_to?: string | undefined
}

/** Returns one page of entries, and the total. One round trip. */
export function listEntries<Filter extends EntryFilter>(
  db: Database,
  filter: Exactly<EntryFilter, Filter>,
  page: Page,
) {
  const { category, version, is_published, date_from, date_to } = filter
  // the index of published entries would read all of them
  const isPublished =
    version || category ? unindexed(changelogs.is_published) : changelogs.is_published
  const where = and(
    is_published === undefined
      ? undefined
      : sql`${isPublished} = ${is_published ? 1 : 0}`,
    category ? eq(changelogs.category, category) : undefined,
    version ? isOfVersion(version) : undefined,
    date_from ? gte(changelogs.date, date_from) : undefined,
    date_to ? lte(changelogs.date, date_to) : undefined,
  )
  return readPage(
    db,
    db
      .select(entryColumns)
      .from(changelogs)
      .where(where)
      .orderBy(...NEWEST_FIRST)
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(changelogs).where(where),
  )
}

/** Builds the query of one entry. */
export const selectEntry = (db: Database, id: string) =>
  db.select(entryColumns).from(changelogs).where(eq(changelogs.id, id))

/**
 * Returns an entry, or null. One round trip.
 * @param actor who must be current, if a body came since the guard
 * @throws {EndedSessionError}
 */
export const getEntry = (
  db: Database,
  id: string,
  actor?: Actor,
): Promise<ChangelogEntry | null> => readRow(db, selectEntry(db, id), actor)

/** A condition on indexed columns: an entry is of a version. */
export function isOfVersion(version: Version): SQL | undefined {
  const [major, minor, patch] = numbersOf(version)
  return and(eq(version_major, major), eq(version_minor, minor), eq(version_patch, patch))
}
