import { eq, sql } from 'drizzle-orm'
import type { Version } from '../domain/versions.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { type Entry, entryColumns, NEWEST_FIRST, type NewEntry } from './changelogs.ts'
import type { Database } from './client.ts'
import { toJsonChunks } from './json-chunks.ts'
import { changelogs, importedCommits, syncCursors } from './schema.ts'

/** An entry made from a commit. */
type ImportedEntry = Omit<NewEntry, 'is_published'> & { git_commit_hash: string; created_at: string }

/** The source of a history and the last commit read. */
export type SyncCursor = { source: string; head: string }

/** The last commit read from a source, or null. */
export async function getSyncCursor(db: Database, source: string): Promise<string | null> {
  const row = await db.select().from(syncCursors).where(eq(syncCursors.source, source)).get()
  return row?.head ?? null
}

/** The known commits among some: current or deleted entries, and merges. One round trip. */
export async function listKnownCommits(db: Database, hashes: string[]): Promise<Set<string>> {
  const [first, ...others] = selectKnown(db, hashes)
  if (!first) return new Set()
  return hashesOf(await db.batch([first, ...others]))
}

/** The known commits among some, and the highest version of all entries. One round trip. */
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
  return toJsonChunks(hashes).flatMap((chunk) => {
    const inHashes = (column: typeof changelogs.git_commit_hash | typeof importedCommits.hash) =>
      sql`${column} in (select value from json_each(${chunk}))`
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
 * Imports entries as drafts and records their commits, in one transaction. Skips commits imported concurrently.
 *
 * @param merges commits to record without an entry
 * @param cursor the new sync cursor, null if no history was read from a source
 * @returns the imported entries, newest first
 */
export async function importEntries(
  db: Database,
  entries: ImportedEntry[],
  merges: string[],
  cursor: SyncCursor | null,
  actor: Actor,
): Promise<Entry[]> {
  const writes = toJsonChunks(entries).flatMap((chunk) => [
    db.insert(changelogs).select(draftsFrom(chunk)).onConflictDoNothing(),
    insertAuditEvent(db, actor, 'changelog.imported', null),
    db.insert(importedCommits).select(commitsFrom(chunk)).onConflictDoNothing(),
  ])
  const marks = [
    ...toJsonChunks(merges).map((chunk) =>
      db.insert(importedCommits).select(hashesFrom(chunk)).onConflictDoNothing(),
    ),
    ...(cursor ? [setSyncCursor(db, cursor)] : []),
  ]
  const reads = toJsonChunks(entries.map(({ id }) => id)).map((ids) =>
    db
      .select(entryColumns)
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

/** `insert … select` needs the columns in table order. */
const draftsFrom = (chunk: string) => sql`
  select value ->> 'id', value ->> 'version', value ->> 'date', value ->> 'title', value ->> 'description',
    value ->> 'category', 0, value ->> 'git_commit_hash', value ->> 'created_at', value ->> 'created_at'
  from json_each(${chunk})
  where value ->> 'git_commit_hash' not in (select hash from ${importedCommits})`

const commitsFrom = (chunk: string) => sql`
  select value ->> 'git_commit_hash' from json_each(${chunk}) where true`

const hashesFrom = (chunk: string) => sql`select value from json_each(${chunk}) where true`
