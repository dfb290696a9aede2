import { and, count, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { ChangelogCategory } from '../domain/changelog.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Version } from '../domain/versions.ts'
import { type Actor, recordEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { type Creation, isKeyFree, selectKeyFree, storeKey } from './idempotency-keys.ts'
import { changelogs, importedCommits } from './schema.ts'
import { selectAccount } from './users.ts'

export type ChangelogFilter = {
  category?: ChangelogCategory | undefined
  version?: Version | undefined
  is_published?: boolean | undefined
  date_from?: string | undefined
  date_to?: string | undefined
}

export type NewEntry = Pick<
  typeof changelogs.$inferSelect,
  'id' | 'version' | 'date' | 'title' | 'description' | 'category' | 'is_published' | 'git_commit_hash'
>

export type EntryChanges = Partial<Omit<NewEntry, 'id'>>

export type Entry = NewEntry & { created_at: string; updated_at: string }

/** The fields of an entry, as they are shown (specification, 2.8). */
export const ENTRY = {
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

/** Newest date first, then highest version, then newest created. */
export const NEWEST_FIRST = [
  desc(changelogs.date),
  desc(changelogs.version_major),
  desc(changelogs.version_minor),
  desc(changelogs.version_patch),
  desc(changelogs.created_at),
  desc(changelogs.id),
]

/**
 * One page of entries, how many there are in all, and a caller's account as it is now. One round trip.
 *
 * @param callerId whose account is read; null where it does not matter
 */
export async function listEntries(
  db: Database,
  filter: ChangelogFilter,
  page: Page,
  callerId: string | null,
) {
  const where = and(
    filter.is_published === undefined ? undefined : eq(changelogs.is_published, filter.is_published),
    filter.category === undefined ? undefined : eq(changelogs.category, filter.category),
    filter.version === undefined ? undefined : eq(changelogs.version, filter.version),
    filter.date_from === undefined ? undefined : gte(changelogs.date, filter.date_from),
    filter.date_to === undefined ? undefined : lte(changelogs.date, filter.date_to),
  )
  const [rows, [counted], [account]] = await db.batch([
    db
      .select(ENTRY)
      .from(changelogs)
      .where(where)
      .orderBy(...NEWEST_FIRST)
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(changelogs).where(where),
    selectAccount(db, callerId),
  ])
  return { rows, total: counted?.total ?? 0, account: account ?? null }
}

/** One entry, or null, and a caller's account as it is now. One round trip. */
export async function readEntry(db: Database, id: string, callerId: string | null) {
  const [[entry], [account]] = await db.batch([
    db.select(ENTRY).from(changelogs).where(eq(changelogs.id, id)),
    selectAccount(db, callerId),
  ])
  return { entry: entry ?? null, account: account ?? null }
}

/**
 * Stores an entry.
 *
 * @returns null where another entry has its commit, and whether the key was not used with another body
 */
export async function createEntry(db: Database, entry: NewEntry & Creation, actor: Actor) {
  const [[checked], , , , [created]] = await db.batch([
    selectKeyFree(db, entry),
    insertEntry(db, entry),
    recordEvent(db, actor, 'changelog.created', entry.id),
    storeKey(db, entry),
    db.select(ENTRY).from(changelogs).where(eq(changelogs.id, entry.id)),
  ])
  return { entry: created ?? null, isKeyFree: checked?.isFree === true }
}

/** The columns stand in the order of the table, as an insert from a select wants them. */
function insertEntry(db: Database, entry: NewEntry & Creation) {
  const { id, version, date, title, description, category, is_published, git_commit_hash } = entry
  return db
    .insert(changelogs)
    .select(sql`
      select ${id}, ${version}, ${date}, ${title}, ${description}, ${category}, ${is_published ? 1 : 0},
        ${git_commit_hash}, ${NOW}, ${NOW}
      where ${isKeyFree(entry)}`)
    .onConflictDoNothing()
}

/**
 * Changes some fields of an entry, unless another entry has the commit that it is given.
 *
 * @returns whether there is such an entry, and the changed entry where it could be changed
 */
export async function updateEntry(db: Database, id: string, changes: EntryChanges, actor: Actor) {
  const isFree = sql`not exists (
    select 1 from ${changelogs} as other
    where other.git_commit_hash = ${changes.git_commit_hash ?? null} and other.id <> ${id})`
  const [found, [changed]] = await db.batch([
    db.select({ id: changelogs.id }).from(changelogs).where(eq(changelogs.id, id)),
    db
      .update(changelogs)
      .set(changes)
      .where(and(eq(changelogs.id, id), isFree))
      .returning(ENTRY),
    recordEvent(db, actor, 'changelog.updated', id),
  ])
  return { exists: found.length > 0, entry: changed ?? null }
}

/**
 * Deletes an entry and remembers its commit, so that no import brings it back. Whether there is one is read
 * first, because a deletion that is tried again finds none.
 *
 * @returns false where there is none
 */
export async function deleteEntry(db: Database, id: string, actor: Actor): Promise<boolean> {
  const found = await db.select({ id: changelogs.id }).from(changelogs).where(eq(changelogs.id, id)).get()
  if (!found) return false
  await db.batch([
    db
      .insert(importedCommits)
      .select(
        db
          .select({ hash: sql`${changelogs.git_commit_hash}`.as('hash') })
          .from(changelogs)
          .where(and(eq(changelogs.id, id), sql`${changelogs.git_commit_hash} is not null`)),
      )
      .onConflictDoNothing(),
    db.delete(changelogs).where(eq(changelogs.id, id)),
    recordEvent(db, actor, 'changelog.deleted', id),
  ])
  return true
}

/** Whether an entry other than this one has a commit already. */
export async function isCommitTaken(db: Database, hash: string, id: string | null): Promise<boolean> {
  const row = await db
    .select({ id: changelogs.id })
    .from(changelogs)
    .where(and(eq(changelogs.git_commit_hash, hash), sql`${changelogs.id} is not ${id}`))
    .get()
  return row !== undefined
}
