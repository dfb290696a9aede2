import { eq, sql } from 'drizzle-orm'
import type { Version } from '../domain/versions.ts'
import { type Actor, recordEvent } from './audit-events.ts'
import { ENTRY, type Entry, NEWEST_FIRST, type NewEntry } from './changelogs.ts'
import type { Database } from './client.ts'
import { jsonRows } from './json-rows.ts'
import { changelogs, importedCommits, syncCursors } from './schema.ts'

/** An entry made from a commit. */
export type ImportedEntry = Omit<NewEntry, 'is_published'> & { git_commit_hash: string; created_at: string }

/** How far a history was read: where, and until when. */
export type SyncCursor = { source: string; head: string }

/** When the newest commit of a history was committed that has been read, as a timestamp; null where none has. */
export async function getSyncCursor(db: Database, source: string): Promise<string | null> {
  const row = await db.select().from(syncCursors).where(eq(syncCursors.source, source)).get()
  return row?.head ?? null
}

/** Which of some commits are, or once were, entries; and the highest version of all entries. One round trip. */
export async function readImportState(db: Database, hashes: string[]) {
  const inHashes = (column: typeof changelogs.git_commit_hash | typeof importedCommits.hash) =>
    sql`${column} in (select value from json_each(${JSON.stringify(hashes)}))`
  const [imported, entered, [highest]] = await db.batch([
    db.select({ hash: importedCommits.hash }).from(importedCommits).where(inHashes(importedCommits.hash)),
    db
      .select({ hash: changelogs.git_commit_hash })
      .from(changelogs)
      .where(inHashes(changelogs.git_commit_hash)),
    db
      .select({ version: changelogs.version })
      .from(changelogs)
      .orderBy(...NEWEST_FIRST.slice(1, 4))
      .limit(1),
  ])
  return {
    known: new Set([...imported, ...entered].map(({ hash }) => hash)),
    highest: (highest?.version ?? null) as Version | null,
  }
}

/**
 * Stores entries made from commits as drafts, and remembers the commits. All or nothing, in one transaction;
 * a commit that another import was quicker with is passed over.
 *
 * @param read how far the history was read with it, where it was read at its source
 *
 * @returns the entries that this import stored, newest first
 */
export async function importEntries(
  db: Database,
  entries: ImportedEntry[],
  read: SyncCursor | null,
  actor: Actor,
): Promise<Entry[]> {
  const pieces = jsonRows(entries)
  const writes = pieces.flatMap((rows) => [
    db.insert(changelogs).select(draftsFrom(rows)).onConflictDoNothing(),
    recordEvent(db, actor, 'changelog.imported', null),
    db.insert(importedCommits).select(commitsFrom(rows)).onConflictDoNothing(),
  ])
  const reads = jsonRows(entries.map(({ id }) => id)).map((ids) =>
    db
      .select(ENTRY)
      .from(changelogs)
      .where(sql`${changelogs.id} in (select value from json_each(${ids}))`)
      .orderBy(...NEWEST_FIRST),
  )
  const marks = read
    ? [
        db
          .insert(syncCursors)
          .values(read)
          .onConflictDoUpdate({ target: syncCursors.source, set: { head: read.head } }),
      ]
    : []
  const [first, ...others] = [...marks, ...writes, ...reads]
  if (!first) return []
  const results = await db.batch([first, ...others])
  return results.slice(marks.length + writes.length).flat() as Entry[]
}

/** The columns stand in the order of the table, as an insert from a select wants them. */
const draftsFrom = (rows: string) => sql`
  select value ->> 'id', value ->> 'version', value ->> 'date', value ->> 'title', value ->> 'description',
    value ->> 'category', 0, value ->> 'git_commit_hash', value ->> 'created_at', value ->> 'created_at'
  from json_each(${rows})
  where value ->> 'git_commit_hash' not in (select hash from ${importedCommits})`

const commitsFrom = (rows: string) => sql`
  select value ->> 'git_commit_hash' from json_each(${rows}) where true`
