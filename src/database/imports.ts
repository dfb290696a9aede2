import { eq, sql } from 'drizzle-orm'
import type { Version } from '../domain/versions.ts'
import { type Actor, recordEvent } from './audit-events.ts'
import { ENTRY, type Entry, NEWEST_FIRST, type NewEntry } from './changelogs.ts'
import type { Database } from './client.ts'
import { jsonRows } from './json-rows.ts'
import { changelogs, importedCommits, syncCursors } from './schema.ts'

/** An entry made from a commit. */
export type ImportedEntry = Omit<NewEntry, 'is_published'> & { git_commit_hash: string; created_at: string }

/** How far a history was read: where, and up to which commit. */
export type SyncCursor = { source: string; head: string }

/** The commit up to which a history has been read; null where it has not been. */
export async function getSyncCursor(db: Database, source: string): Promise<string | null> {
  const row = await db.select().from(syncCursors).where(eq(syncCursors.source, source)).get()
  return row?.head ?? null
}

/** Which of some commits are known: they are entries, or were, or are merges. One round trip. */
export async function listKnownCommits(db: Database, hashes: string[]): Promise<Set<string>> {
  const [first, ...others] = selectKnown(db, hashes)
  if (!first) return new Set()
  return hashesOf(await db.batch([first, ...others]))
}

/** Which of some commits are known, and the highest version of all entries. One round trip. */
export async function readImportState(db: Database, hashes: string[]) {
  const highestVersion = db
    .select({ version: changelogs.version })
    .from(changelogs)
    .orderBy(...NEWEST_FIRST.slice(1, 4))
    .limit(1)
  const [[highest], ...known] = await db.batch([highestVersion, ...selectKnown(db, hashes)])
  return { known: hashesOf(known), highest: (highest?.version ?? null) as Version | null }
}

function selectKnown(db: Database, hashes: string[]) {
  return jsonRows(hashes).flatMap((rows) => {
    const inHashes = (column: typeof changelogs.git_commit_hash | typeof importedCommits.hash) =>
      sql`${column} in (select value from json_each(${rows}))`
    return [
      db.select({ hash: importedCommits.hash }).from(importedCommits).where(inHashes(importedCommits.hash)),
      db
        .select({ hash: changelogs.git_commit_hash })
        .from(changelogs)
        .where(inHashes(changelogs.git_commit_hash)),
    ]
  })
}

const hashesOf = (results: { hash: string | null }[][]) =>
  new Set(results.flat().flatMap(({ hash }) => hash ?? []))

/**
 * Stores entries made from commits as drafts, and remembers the commits. All or nothing, in one transaction;
 * a commit that another import was quicker with is passed over.
 *
 * @param merges commits that are remembered without an entry
 * @param cursor how far the history was read with it, where it was read at its source
 *
 * @returns the entries that this import stored, newest first
 */
export async function importEntries(
  db: Database,
  entries: ImportedEntry[],
  merges: string[],
  cursor: SyncCursor | null,
  actor: Actor,
): Promise<Entry[]> {
  const writes = jsonRows(entries).flatMap((rows) => [
    db.insert(changelogs).select(draftsFrom(rows)).onConflictDoNothing(),
    recordEvent(db, actor, 'changelog.imported', null),
    db.insert(importedCommits).select(commitsFrom(rows)).onConflictDoNothing(),
  ])
  const marks = [
    ...jsonRows(merges).map((rows) =>
      db.insert(importedCommits).select(hashesFrom(rows)).onConflictDoNothing(),
    ),
    ...(cursor ? [setSyncCursor(db, cursor)] : []),
  ]
  const reads = jsonRows(entries.map(({ id }) => id)).map((ids) =>
    db
      .select(ENTRY)
      .from(changelogs)
      .where(sql`${changelogs.id} in (select value from json_each(${ids}))`)
      .orderBy(...NEWEST_FIRST),
  )
  const [first, ...others] = [...marks, ...writes, ...reads]
  if (!first) return []
  const results = await db.batch([first, ...others])
  return results.slice(marks.length + writes.length).flat() as Entry[]
}

const setSyncCursor = (db: Database, { source, head }: SyncCursor) =>
  db
    .insert(syncCursors)
    .values({ source, head })
    .onConflictDoUpdate({ target: syncCursors.source, set: { head } })

/** The columns stand in the order of the table, as an insert from a select wants them. */
const draftsFrom = (rows: string) => sql`
  select value ->> 'id', value ->> 'version', value ->> 'date', value ->> 'title', value ->> 'description',
    value ->> 'category', 0, value ->> 'git_commit_hash', value ->> 'created_at', value ->> 'created_at'
  from json_each(${rows})
  where value ->> 'git_commit_hash' not in (select hash from ${importedCommits})`

const commitsFrom = (rows: string) => sql`
  select value ->> 'git_commit_hash' from json_each(${rows}) where true`

const hashesFrom = (rows: string) => sql`select value from json_each(${rows}) where true`
