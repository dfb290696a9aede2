import { and, desc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { PlannedEntry } from '../domain/changelog-import.ts'
import type { GraphCommit } from '../domain/releases.ts'
import { timestamp } from '../domain/timestamps.ts'
import type { Actor } from './actor.ts'
import { insertAuditEvents } from './audit-events.ts'
import { type ChangelogEntry, entryColumns, NEWEST_FIRST } from './changelogs.ts'
import type { Database } from './client.ts'
import { hasNoRow, hasRow } from './conditions.ts'
import { insertRows, jsonRows, textsOf } from './json-rows.ts'
import { changelogs, importedCommits, releaseCommits, syncCursors } from './schema.ts'
import { readAll, runTransaction } from './transactions.ts'

/** The last commit read from a source, or null. */
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

/** The known commits among some: current or deleted entries, and merges. One round trip. */
export async function listKnownCommits(
  db: Database,
  hashes: string[],
): Promise<Set<string>> {
  return hashesOf(await selectKnown(db, hashes))
}

/** The known commits among some, and the highest version of all entries. One round trip. */
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

/**
 * Which of some tagged commits were read with all their ancestors; and all commits that were read
 * beside a branch, if any of the added commits is one of them. One round trip.
 */
export async function readReleases(db: Database, tagged: string[], added: string[]) {
  const isRead = or(
    hasRow(releaseCommits, IS_HASH),
    hasRow(importedCommits, sql`${IS_HASH} and is_on_branch`),
  )
  const isMerged = sql`exists (
    select 1 from (${jsonRows(added)}) as added
    join ${releaseCommits} as other on other.hash = added.value)`
  const { read, merged } = await readAll(db, {
    read: selectHashes(db, tagged, isRead),
    merged: db.select().from(releaseCommits).where(isMerged),
  })
  return { read: hashesOf(read), merged }
}

const IS_HASH = sql`hash = value`

const selectKnown = (db: Database, hashes: string[]) =>
  selectHashes(
    db,
    hashes,
    or(
      hasRow(importedCommits, IS_HASH),
      hasRow(changelogs, sql`git_commit_hash = value`),
    ),
  )

const selectHashes = (db: Database, hashes: string[], condition: SQL | undefined) =>
  db
    .select({ hash: sql<string>`value` })
    .from(sql`(${jsonRows(hashes)})`)
    .where(condition)

const hashesOf = (rows: { hash: string }[]) => new Set(rows.map(({ hash }) => hash))

/** What an import writes. */
export type Import = {
  /** Oldest first. */
  entries: PlannedEntry[]
  /**
   * All commits that are imported with them: of entries, and merges; of a pull, all that are on its
   * branch.
   */
  hashes: string[]
  /** What was read from the configured repository, up to the commit `head`. */
  pulled: { source: string; head: string; offBranch: GraphCommit[] } | null
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
    return {
      ...entry,
      id: crypto.randomUUID(),
      is_published: false,
      created_at,
      updated_at: created_at,
    }
  })
  const isNew = sql`value ->> 'git_commit_hash' not in (select hash from ${importedCommits})`
  const writes = [
    insertAuditEvents(
      actor,
      'changelog.imported',
      sql`select null as id where ${isChanged(hashes, pulled)}`,
    ),
    insertRows(changelogs, Object.values(entryColumns), drafts, isNew),
    insertCommits(hashes, pulled !== null),
    ...(pulled ? pullStatements(pulled) : []),
  ]
  const { imported } = await runTransaction(db, {
    actor,
    writes,
    reads: {
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

/** Whether an import changes anything: commits that are unknown, or not known to be on a branch. */
function isChanged(hashes: string[], pulled: Import['pulled']): SQL | undefined {
  const isKnown = sql`${IS_HASH} and ${importedCommits.is_on_branch} >= ${pulled ? 1 : 0}`
  const hasNewCommit = sql`exists (
    select 1 from (${jsonRows(hashes)}) where ${hasNoRow(importedCommits, isKnown)})`
  if (!pulled) return hasNewCommit

  const isAtHead = and(
    eq(syncCursors.source, pulled.source),
    eq(syncCursors.head, pulled.head),
  )
  return or(hasNewCommit, hasNoRow(syncCursors, isAtHead))
}

const insertCommits = (hashes: string[], isOnBranch: boolean): SQL => sql`
  insert into ${importedCommits} (hash, is_on_branch)
  select value, ${isOnBranch ? 1 : 0} from (${jsonRows(hashes)}) where true
  on conflict (hash) do update set is_on_branch = 1 where excluded.is_on_branch > is_on_branch`

/** The statements that keep how far a repository was read. */
const pullStatements = ({
  source,
  head,
  offBranch,
}: NonNullable<Import['pulled']>): SQL[] => [
  insertRows(
    releaseCommits,
    [releaseCommits.hash, releaseCommits.parents],
    offBranch,
    sql`true`, // but known ones
  ),
  sql`
    insert into ${syncCursors} (source, head) values (${source}, ${head})
    on conflict (source) do update set head = excluded.head where head <> excluded.head`,
]
