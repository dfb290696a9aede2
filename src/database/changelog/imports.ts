import { and, desc, eq, or, type SQL, sql } from 'drizzle-orm'
import { type ChangelogEntry, entryColumns, NEWEST_FIRST } from './read.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { changelogs, importedCommits, syncCursors } from '#database/schema/changelogs.ts'
import { hasNoRow, hasRow } from '#database/sql/conditions.ts'
import { insertRows, jsonRows, textsOf } from '#database/sql/json-rows.ts'
import { readAll, runTransaction } from '#database/transactions.ts'
import { timestamp } from '#domain/timestamps.ts'

/** Returns the last commit read from a source, or null. */
export async function getSyncCursor(
  db: Database,
  source: string,
): Promise<string | null> {
  const row = await db
    .select()
    .from(syncCursors)
    .where(eq(syncCursors.source, source))
    .get()
  return row?.head ?? null
}

/** Returns those commits that are known: current or deleted entries, and merges. One round trip. */
export async function listKnownCommits(
  db: Database,
  hashes: string[],
): Promise<Set<string>> {
  return hashesOf(await selectKnown(db, hashes))
}

/** Returns those commits that are known, and the highest version of all entries. One round trip. */
export async function getImportState(db: Database, hashes: string[]) {
  const { known, highest } = await readAll(db, {
    known: selectKnown(db, hashes),
    highest: db
      .select({ version: changelogs.version })
      .from(changelogs)
      .orderBy(
        desc(changelogs.version_major),
        desc(changelogs.version_minor),
        desc(changelogs.version_patch),
      )
      .limit(1),
  })
  return { known: hashesOf(known), highest: highest[0]?.version ?? null }
}

const IS_HASH = sql`hash = value`

const selectKnown = (db: Database, hashes: string[]) =>
  db
    .select({ hash: sql<string>`value` })
    .from(sql`(${jsonRows(hashes)})`)
    .where(
      or(
        hasRow(importedCommits, IS_HASH),
        hasRow(changelogs, sql`git_commit_hash = value`),
      ),
    )

const hashesOf = (rows: { hash: string }[]) => new Set(rows.map(({ hash }) => hash))

/** The columns of a draft that come from a commit. */
export type NewDraft = Omit<
  ChangelogEntry,
  'id' | 'is_published' | 'created_at' | 'updated_at'
>

/** The rows that an import writes. */
export type Import = {
  /** Oldest first. */
  entries: NewDraft[]
  /** All imported commits: those of the entries, and merges. */
  hashes: string[]
  /** The configured repository, and the commit up to which it was read. */
  pulled: { source: string; head: string } | null
}

/**
 * Imports entries as drafts and records their commits, in one transaction.
 * @returns the new entries, newest first
 */
export async function importEntries(
  db: Database,
  { entries, hashes, pulled }: Import,
  actor: Actor,
): Promise<ChangelogEntry[]> {
  const now = new Date()
  const drafts = entries.map((entry, position) => {
    const created_at = timestamp(now, position) // in the order of the history
    const { git_commit_hash, ...described } = entry
    return {
      id: crypto.randomUUID(), // the members in the order of `entryColumns`
      ...described,
      is_published: false,
      git_commit_hash,
      created_at,
      updated_at: created_at,
    }
  })
  // a concurrent import of the same commits may have been faster
  const isNew = sql`value ->> 'git_commit_hash' not in (select hash from ${importedCommits})`
  const writes = [
    insertAuditEvents(
      actor,
      'changelog.imported',
      sql`select null as id where ${isChanged(hashes, pulled)}`,
    ),
    insertRows(changelogs, Object.values(entryColumns), drafts, isNew),
    insertCommits(hashes), // after `isNew` has read them
    ...(pulled ? [upsertCursor(pulled)] : []),
  ]
  const { imported } = await runTransaction(db, {
    actor,
    writes,
    reads: {
      // only the ids, for their order: the rest is known here
      imported: db
        .select({ id: changelogs.id })
        .from(changelogs)
        .where(sql`${changelogs.id} in ${textsOf(drafts.map(({ id }) => id))}`)
        .orderBy(...NEWEST_FIRST),
    },
  })
  const draftsById = new Map(drafts.map((draft) => [draft.id, draft]))
  return imported.flatMap(({ id }) => draftsById.get(id) ?? [])
}

/** A condition: an import changes anything. */
function isChanged(hashes: string[], pulled: Import['pulled']): SQL | undefined {
  const hasNewCommit = sql`exists (
    select 1 from (${jsonRows(hashes)}) where ${hasNoRow(importedCommits, IS_HASH)})`
  if (!pulled) return hasNewCommit

  const isAtHead = and(
    eq(syncCursors.source, pulled.source),
    eq(syncCursors.head, pulled.head),
  )
  return or(hasNewCommit, hasNoRow(syncCursors, isAtHead))
}

const insertCommits = (hashes: string[]): SQL => sql`
  insert into ${importedCommits} (hash)
  select value from (${jsonRows(hashes)}) where true
  on conflict do nothing`

/** Builds the statement that stores the last commit read from a repository. */
const upsertCursor = ({ source, head }: NonNullable<Import['pulled']>): SQL => sql`
  insert into ${syncCursors} (source, head) values (${source}, ${head})
  on conflict (source) do update set head = excluded.head`
