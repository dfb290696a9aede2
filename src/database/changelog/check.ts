import { and, eq, ne, sql } from 'drizzle-orm'
import { isOfVersion } from './read.ts'
import type { Database } from '#database/client.ts'
import { changelogs } from '#database/schema/changelogs.ts'
import { findViolations, hasNoRow, hasRow } from '#database/sql/conditions.ts'
import { textsOf } from '#database/sql/json-rows.ts'
import type { Version } from '#domain/versions.ts'

/**
 * Returns the field `git_commit_hash` if another entry has that commit. One round trip at most.
 * @param id the entry that may keep its commit; null for a new one
 */
export function findInvalidEntryFields(
  db: Database,
  { git_commit_hash }: { git_commit_hash?: string | null | undefined },
  id: string | null,
) {
  const isTaken = (hash: string) =>
    hasRow(
      changelogs,
      and(eq(changelogs.git_commit_hash, hash), id ? ne(changelogs.id, id) : undefined),
    )
  return findViolations(db, {
    git_commit_hash: git_commit_hash ? isTaken(git_commit_hash) : null,
  })
}

/** Returns the fields that name no entry, or not only entries. One round trip. */
export function findUnknownEntries(
  db: Database,
  { version, ids }: { version?: Version | null; ids?: string[] | null },
) {
  const areMissing = (ids: string[]) => sql`${new Set(ids).size} > (
    select count(*) from ${changelogs} where ${changelogs.id} in ${textsOf(ids)})`
  return findViolations(db, {
    version: version ? hasNoRow(changelogs, isOfVersion(version)) : null,
    ids: ids ? areMissing(ids) : null,
  })
}
