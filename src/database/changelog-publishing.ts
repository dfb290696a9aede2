import { sql } from 'drizzle-orm'
import type { Version } from '../domain/versions.ts'
import { type Actor, insertAuditEvents } from './audit-events.ts'
import { type Entry, entryColumns, isOfVersion, NEWEST_FIRST } from './changelogs.ts'
import { batch, type Database } from './client.ts'
import { jsonRows } from './json-chunks.ts'
import { changelogs } from './schema.ts'

/** The entries to publish or to take back: all of a version, or by id. */
type Selection = { version: Version } | { ids: string[] }

/**
 * Publishes the selected drafts, or takes published entries back. One transaction and one round trip. The changed
 * entries are read from the request's audit events, so that a retry returns them too.
 *
 * @returns the changed entries, newest first
 */
export async function setPublished(
  db: Database,
  selection: Selection,
  isPublished: boolean,
  actor: Actor,
): Promise<Entry[]> {
  const isSelected =
    'ids' in selection ? sql`id in (${jsonRows(selection.ids)})` : isOfVersion(selection.version)
  const action = isPublished ? 'changelog.published' : 'changelog.unpublished'
  const isOther = sql`${isSelected} and +is_published = ${isPublished ? 0 : 1}`
  const { entries } = await batch(db, {
    audit: insertAuditEvents(db, actor, action, sql`select id from changelogs where ${isOther}`),
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
