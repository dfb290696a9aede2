import { and, count, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { ChangelogCategory } from '../domain/changelog.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Version } from '../domain/versions.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { batch, type Database } from './client.ts'
import { NOW } from './columns.ts'
import { type IdempotentInsert, isKeyUnused, selectKeyUnused, storeKey } from './idempotency-keys.ts'
import { changelogs, importedCommits } from './schema.ts'
import { selectTokenState } from './sessions.ts'

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

type EntryChanges = Partial<Omit<NewEntry, 'id'>>

export type Entry = NewEntry & { created_at: string; updated_at: string }

/** The columns of an entry in responses (specification, 2.8). */
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
 * One page of entries, the total, and the caller's current token state. One round trip.
 *
 * @param callerId null if no token state is needed
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
  const [[entry], [tokenState]] = await db.batch([
    db.select(entryColumns).from(changelogs).where(eq(changelogs.id, id)),
    selectTokenState(db, callerId),
  ])
  return { entry: entry ?? null, tokenState: tokenState ?? null }
}

/**
 * Creates an entry.
 *
 * @returns the entry, null if another entry has its commit; and whether the key was not used with another body
 */
export async function createEntry(db: Database, entry: NewEntry & IdempotentInsert, actor: Actor) {
  const [[keyCheck], , , , [created]] = await db.batch([
    selectKeyUnused(db, entry),
    insertEntry(db, entry),
    insertAuditEvent(db, actor, 'changelog.created', entry.id),
    storeKey(db, entry),
    db.select(entryColumns).from(changelogs).where(eq(changelogs.id, entry.id)),
  ])
  return { entry: created ?? null, isKeyUnused: keyCheck?.isUnused === true }
}

/** `insert … select` needs the columns in table order. */
function insertEntry(db: Database, entry: NewEntry & IdempotentInsert) {
  const { id, version, date, title, description, category, is_published, git_commit_hash } = entry
  return db
    .insert(changelogs)
    .select(sql`
      select ${id}, ${version}, ${date}, ${title}, ${description}, ${category}, ${is_published ? 1 : 0},
        ${git_commit_hash}, ${NOW}, ${NOW}
      where ${isKeyUnused(entry)}`)
    .onConflictDoNothing()
}

/**
 * Updates an entry unless another entry has its new commit.
 *
 * @returns whether the entry exists, and the updated entry or null
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
      .returning(entryColumns),
    insertAuditEvent(db, actor, 'changelog.updated', id),
  ])
  return { exists: found.length > 0, entry: changed ?? null }
}

/**
 * Deletes an entry and records its commit as imported, so that no import recreates it. Existence is read first,
 * because a retried deletion finds no row.
 *
 * @returns false if there is no such entry
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
    insertAuditEvent(db, actor, 'changelog.deleted', id),
  ])
  return true
}

/** Whether another entry already has a commit. */
export async function isCommitTaken(db: Database, hash: string, id: string | null): Promise<boolean> {
  const row = await db
    .select({ id: changelogs.id })
    .from(changelogs)
    .where(and(eq(changelogs.git_commit_hash, hash), sql`${changelogs.id} is not ${id}`))
    .get()
  return row !== undefined
}
