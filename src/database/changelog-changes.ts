import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Version } from '../domain/versions.ts'
import { type Actor, hasRecord, record } from './audit-events.ts'
import {
  createAndRead,
  type Statement,
  updateAndRead,
  writeAll,
  writeAndRead,
} from './batch.ts'
import {
  type ChangelogEntry,
  entryColumns,
  isOfVersion,
  NEWEST_FIRST,
  selectEntry,
} from './changelogs.ts'
import type { Database } from './client.ts'
import { differs, type Exactly } from './conditions.ts'
import { insertIdempotencyKey } from './idempotency-keys.ts'
import { textsOf } from './json-rows.ts'
import { changelogs } from './schema.ts'

/** The columns of an entry that come from a request. */
export type NewEntry = Pick<
  typeof changelogs.$inferInsert,
  | 'version'
  | 'date'
  | 'title'
  | 'description'
  | 'category'
  | 'is_published'
  | 'git_commit_hash'
>

/**
 * Creates an entry.
 * @returns the entry, or null if another one has its commit
 */
export function createEntry<New extends NewEntry & { id: string }>(
  db: Database,
  entry: Exactly<NewEntry & { id: string }, New>,
  actor: Actor,
): Promise<ChangelogEntry | null> {
  const { id, is_published } = entry
  const writes = [
    record(actor, 'changelog.created', id),
    ...(is_published ? [record(actor, 'changelog.published', id)] : []),
    db.insert(changelogs).values(entry),
    ...insertIdempotencyKey(db, actor, id),
  ]
  return createAndRead(db, writes, selectEntry(db, id))
}

/**
 * Updates the fields of an entry that differ. Publishing and taking back have records of their own.
 * @returns the entry, null if there is none; or 'refused' if another one has its commit
 */
export async function updateEntry<Changes extends Partial<NewEntry>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewEntry>, Changes>,
  actor: Actor,
): Promise<ChangelogEntry | null | 'refused'> {
  const { is_published, ...fields }: Partial<NewEntry> = changes
  const isSame = eq(changelogs.id, id)
  const selectChanged = (difference: SQL | undefined) =>
    sql`select id from ${changelogs} where ${and(isSame, difference)}`

  const writes: Statement[] = []
  if (Object.values(fields).some((value) => value !== undefined))
    writes.push(
      record(actor, 'changelog.updated', selectChanged(differs(changelogs, fields))),
    )
  if (is_published !== undefined)
    writes.push(
      record(
        actor,
        is_published ? 'changelog.published' : 'changelog.unpublished',
        selectChanged(differs(changelogs, { is_published })),
      ),
    )
  writes.push(
    db
      .update(changelogs)
      .set(changes)
      .where(and(isSame, hasRecord(actor, id))),
  )

  return updateAndRead(db, writes, selectEntry(db, id))
}

/**
 * Deletes an entry and records its commit as imported, so that no import recreates it. Existence is
 * read first, because a retried deletion finds none.
 * @returns false if there is none
 */
export async function deleteEntry(
  db: Database,
  id: string,
  actor: Actor,
): Promise<boolean> {
  const found = await selectEntry(db, id).get()
  if (!found) return false

  await writeAll(db, [
    record(
      actor,
      'changelog.deleted',
      sql`select id from ${changelogs} where id = ${id}`,
    ),
    sql`
      insert into imported_commits (hash)
      select git_commit_hash from ${changelogs}
      where id = ${id} and git_commit_hash is not null
      on conflict do nothing`,
    db.delete(changelogs).where(eq(changelogs.id, id)),
  ])
  return true
}

/**
 * Publishes the drafts of a version or by id, or takes published entries back. One transaction and
 * one round trip.
 * @returns the changed entries, newest first
 */
export async function setPublished(
  db: Database,
  selection: { version: Version } | { ids: string[] },
  isPublished: boolean,
  actor: Actor,
): Promise<ChangelogEntry[]> {
  const isSelected =
    'ids' in selection
      ? sql`${changelogs.id} in ${textsOf(selection.ids)}`
      : isOfVersion(selection.version)
  const isOther = sql`+${changelogs.is_published} = ${isPublished ? 0 : 1}`
  const isChanged = and(isSelected, isOther)
  const action = isPublished ? 'changelog.published' : 'changelog.unpublished'

  const { entries } = await writeAndRead(
    db,
    [
      record(actor, action, sql`select id from ${changelogs} where ${isChanged}`),
      db.update(changelogs).set({ is_published: isPublished }).where(isChanged),
    ],
    {
      entries: db
        .select(entryColumns)
        .from(changelogs)
        .where(and(isSelected, hasRecord(actor, changelogs.id)))
        .orderBy(...NEWEST_FIRST),
    },
  )
  return entries
}
