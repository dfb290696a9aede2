import { and, count, desc, eq, getTableColumns, gte, lte, ne, type SQL, sql } from 'drizzle-orm'
import type { ChangelogCategory } from '../domain/changelog.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import { numbersOf, type Version } from '../domain/versions.ts'
import { selectTokenState } from './access-tokens.ts'
import { type Actor, insertAuditEvents } from './audit-events.ts'
import { batch, type Database } from './client.ts'
import { jsonRows } from './json-rows.ts'
import { changelogs } from './schema.ts'
import { type Audited, createRow, deleteRow, findViolations, hasRow, updateRow } from './writes.ts'

type ChangelogFilter = {
  category?: ChangelogCategory
  version?: Version
  is_published?: boolean
  date_from?: string
  date_to?: string
}

/** The columns of an entry in responses: all but those generated for sorting. */
export const { version_major, version_minor, version_patch, ...entryColumns } =
  getTableColumns(changelogs)
const { date, created_at, id } = entryColumns

export type Entry = Pick<typeof changelogs.$inferSelect, keyof typeof entryColumns>

export type NewEntry = Omit<Entry, 'created_at' | 'updated_at'>

/** Newest date first, then highest version, then newest created. */
export const NEWEST_FIRST = [date, version_major, version_minor, version_patch, created_at, id].map(
  (column) => desc(column),
)

/** One page of entries, the total, and the token state of a caller (null: of nobody). One round trip. */
export async function listEntries(
  db: Database,
  filter: ChangelogFilter,
  page: Page,
  callerId: string | null,
) {
  // the plus keeps SQLite from reading all published entries where there is a better index
  const isPublished =
    filter.version || filter.category ? sql`+${changelogs.is_published}` : changelogs.is_published
  const where = and(
    filter.is_published === undefined
      ? undefined
      : sql`${isPublished} = ${filter.is_published ? 1 : 0}`,
    filter.category === undefined ? undefined : eq(changelogs.category, filter.category),
    filter.version === undefined ? undefined : isOfVersion(filter.version),
    filter.date_from === undefined ? undefined : gte(changelogs.date, filter.date_from),
    filter.date_to === undefined ? undefined : lte(changelogs.date, filter.date_to),
  )
  const { rows, counted, tokenState } = await batch(db, {
    rows: db
      .select(entryColumns)
      .from(changelogs)
      .where(where)
      .orderBy(...NEWEST_FIRST)
      .limit(page.perPage)
      .offset(offsetOf(page)),
    counted: db.select({ total: count() }).from(changelogs).where(where),
    tokenState: selectTokenState(db, callerId),
  })
  return { rows, total: counted[0]?.total ?? 0, tokenState: tokenState[0] ?? null }
}

/** One entry, or null, and the caller's current token state. One round trip. */
export async function readEntry(db: Database, id: string, callerId: string | null) {
  const { entry, tokenState } = await batch(db, {
    entry: selectEntry(db, id),
    tokenState: selectTokenState(db, callerId),
  })
  return { entry: entry[0] ?? null, tokenState: tokenState[0] ?? null }
}

/** Creates an entry, or returns null if another one has its commit. */
export function createEntry(db: Database, entry: NewEntry, actor: Actor): Promise<Entry | null> {
  const { id } = entry
  const row = db.insert(changelogs).values(entry)
  return createRow(
    db,
    { type: 'changelog', subjectId: id, row, created: selectEntry(db, id) },
    actor,
  )
}

/** Updates the fields of an entry that differ. Refused if another one has its commit. */
export const updateEntry = (db: Database, id: string, changes: Partial<NewEntry>, actor: Actor) =>
  updateRow(db, AUDITED, id, changes, selectEntry(db, id), actor)

const AUDITED: Audited = { table: changelogs, type: 'changelog' }

const selectEntry = (db: Database, id: string) =>
  db.select(entryColumns).from(changelogs).where(eq(changelogs.id, id))

/**
 * Deletes an entry and records its commit as imported, so that no import recreates it.
 */
export function deleteEntry(db: Database, id: string, actor: Actor) {
  const commit = sql`
    insert into imported_commits (hash)
    select git_commit_hash from changelogs where id = ${id} and git_commit_hash is not null
    on conflict do nothing`
  return deleteRow(db, AUDITED, id, actor, { commit })
}

/**
 * Publishes the drafts of a version or by id, or takes published entries back. One transaction and one round trip.
 * The changed entries are read from the request's audit events, so that a retry returns them too.
 * @returns the changed entries, newest first
 */
export async function setPublished(
  db: Database,
  selection: { version: Version } | { ids: string[] },
  isPublished: boolean,
  actor: Actor,
): Promise<Entry[]> {
  const isSelected =
    'ids' in selection ? sql`id in (${jsonRows(selection.ids)})` : isOfVersion(selection.version)
  const action = isPublished ? 'changelog.published' : 'changelog.unpublished'
  const isOther = sql`${isSelected} and +is_published = ${isPublished ? 0 : 1}`
  const { entries } = await batch(db, {
    audit: insertAuditEvents(actor, action, sql`select id from changelogs where ${isOther}`),
    update: db.update(changelogs).set({ is_published: isPublished }).where(isOther),
    entries: db
      .select(entryColumns)
      .from(changelogs)
      .where(
        sql`${isSelected} and exists (
          select 1 from audit_events where subject_id = ${changelogs.id} and request_id = ${actor.requestId})`,
      )
      .orderBy(...NEWEST_FIRST),
  })
  return entries
}

/** Whether all ids are entries. One round trip. */
export const areEntries = async (db: Database, ids: string[]): Promise<boolean> =>
  (await db.$count(changelogs, sql`id in (${jsonRows(ids)})`)) === new Set(ids).size

/** A condition on the columns that an index has. */
function isOfVersion(version: Version): SQL | undefined {
  const [major, minor, patch] = numbersOf(version)
  return and(eq(version_major, major), eq(version_minor, minor), eq(version_patch, patch))
}

/** The field `git_commit_hash`, if another entry has it; `id` is '' for a new one. One round trip at most. */
export const findInvalidFields = (
  db: Database,
  { git_commit_hash: hash }: Partial<NewEntry>,
  id: string,
) =>
  findViolations(db, {
    git_commit_hash:
      hash && hasRow(changelogs, and(eq(changelogs.git_commit_hash, hash), ne(changelogs.id, id))),
  })
