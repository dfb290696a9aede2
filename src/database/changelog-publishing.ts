import { type SQL, sql } from 'drizzle-orm'
import type { Version } from '../domain/versions.ts'
import { type Actor, insertAuditEvents } from './audit-events.ts'
import { type Entry, entryColumns, NEWEST_FIRST } from './changelogs.ts'
import type { Database } from './client.ts'
import { changelogs } from './schema.ts'

/** The entries to publish: all of a version, or by id. */
type Selection = { version: Version } | { ids: string[] }

/**
 * Publishes the selected drafts, or none if an id is unknown. One transaction and one round trip. The published
 * entries are read from the request's audit events, so that a retry returns them too.
 *
 * @returns the entries that were drafts, newest first, and whether all ids are known
 */
export async function publishEntries(
  db: Database,
  selection: Selection,
  actor: Actor,
): Promise<{ entries: Entry[]; areKnown: boolean }> {
  const ids = 'ids' in selection ? selection.ids : []
  const isSelected = 'ids' in selection ? sql`id in (${valuesOf(ids)})` : sql`version = ${selection.version}`
  const isDraft = sql`${isSelected} and not is_published and not exists (${selectUnknown(ids)})`
  const [[unknown], , , entries] = await db.batch([
    db.select({ value: sql<string>`value` }).from(sql`(${selectUnknown(ids)})`),
    insertAuditEvents(db, actor, 'changelog.updated', sql`select id from changelogs where ${isDraft}`),
    db.update(changelogs).set({ is_published: true }).where(isDraft),
    db
      .select(entryColumns)
      .from(changelogs)
      .where(
        sql`${isSelected} and exists (
          select 1 from audit_events where subject_id = ${changelogs.id} and request_id = ${actor.requestId})`,
      )
      .orderBy(...NEWEST_FIRST),
  ])
  return { entries, areKnown: unknown === undefined }
}

/** Whether all ids are entries. One round trip. */
export async function areEntries(db: Database, ids: string[]): Promise<boolean> {
  const unknown = await db.select({ value: sql<string>`value` }).from(sql`(${selectUnknown(ids)})`)
  return unknown.length === 0
}

const valuesOf = (ids: string[]): SQL => sql`select value from json_each(${JSON.stringify(ids)})`

/** The first unknown id, if any. */
const selectUnknown = (ids: string[]): SQL =>
  sql`${valuesOf(ids)} where value not in (select id from changelogs) limit 1`
