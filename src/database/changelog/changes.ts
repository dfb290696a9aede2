import { and, count, eq, sql } from 'drizzle-orm'
import {
  type ChangelogEntry,
  entryColumns,
  isOfVersion,
  NEWEST_FIRST,
  selectEntry,
} from './read.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents, isRecorded } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import type { IdempotencyKey } from '#database/idempotency-keys.ts'
import { createRow, deleteRow, selectDiffering } from '#database/recorded-rows.ts'
import { auditEvents } from '#database/schema/audit-events.ts'
import { changelogs } from '#database/schema/changelogs.ts'
import { differs, type Exactly, hasRow, unindexed } from '#database/sql/conditions.ts'
import { textsOf } from '#database/sql/json-rows.ts'
import { runTransaction } from '#database/transactions.ts'
import type { Version } from '#domain/versions.ts'

/** The columns of an entry that come from a request. */
type NewEntry = Pick<
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
 * @throws {RefusedError} if another entry has its commit
 */
export function createEntry<New extends NewEntry & { id: string }>(
  db: Database,
  entry: Exactly<NewEntry & { id: string }, New>,
  actor: Actor,
  keys: IdempotencyKey[] = [],
): Promise<ChangelogEntry> {
  const { id, is_published } = entry
  const inserts = [
    ...(is_published ? [insertAuditEvents(actor, 'changelog.published', id)] : []),
    db.insert(changelogs).values(entry),
  ]
  const created = selectEntry(db, id)
  return createRow(db, { id, action: 'changelog.created' }, inserts, actor, keys, created)
}

/**
 * Updates the fields of an entry that differ. Publishing and unpublishing are recorded separately.
 * @returns the entry, or null if there is none
 * @throws {RefusedError} if another entry has its commit
 */
export async function updateEntry<Changes extends Partial<NewEntry>>(
  db: Database,
  id: string,
  changes: Exactly<Partial<NewEntry>, Changes>,
  actor: Actor,
): Promise<ChangelogEntry | null> {
  const { is_published, ...fields }: Partial<NewEntry> = changes
  const isChanged = and(eq(changelogs.id, id), differs(changelogs, changes))

  const { updated } = await runTransaction(db, {
    actor,
    writes: [
      ...(hasValue(fields)
        ? [
            insertAuditEvents(
              actor,
              'changelog.updated',
              selectDiffering(changelogs, id, fields),
            ),
          ]
        : []),
      ...(is_published === undefined
        ? []
        : [
            insertAuditEvents(
              actor,
              publication(is_published),
              selectDiffering(changelogs, id, { is_published }),
            ),
          ]),
      db.update(changelogs).set(changes).where(isChanged),
    ],
    reads: { updated: selectEntry(db, id) },
  })
  return updated[0] ?? null
}

const hasValue = (fields: object) =>
  Object.values(fields).some((value) => value !== undefined)

const publication = (isPublished: boolean) =>
  isPublished ? 'changelog.published' : 'changelog.unpublished'

/**
 * Deletes an entry and records its commit as imported, so that no import recreates it.
 * @returns whether there was one
 */
export function deleteEntry(db: Database, id: string, actor: Actor): Promise<boolean> {
  return deleteRow(db, { table: changelogs, id, action: 'changelog.deleted' }, actor, [
    sql`
      insert into imported_commits (hash)
      select git_commit_hash from ${changelogs}
      where id = ${id} and git_commit_hash is not null
      on conflict do nothing`,
  ])
}

/** Changed entries in one response, which may contain 10,000 characters each. */
const MAX_SHOWN = 1000

/**
 * Publishes drafts, or unpublishes entries, by version or by id. One round trip.
 * @returns how many entries changed, and the newest of them
 */
export async function setPublished(
  db: Database,
  selection: { version: Version } | { ids: string[] },
  isPublished: boolean,
  actor: Actor,
): Promise<{ changed: number; entries: ChangelogEntry[] }> {
  const isSelected =
    'ids' in selection
      ? sql`${changelogs.id} in ${textsOf(selection.ids)}`
      : isOfVersion(selection.version)
  const isOther = eq(unindexed(changelogs.is_published), isPublished ? 0 : 1)
  const willChange = and(isSelected, isOther)
  const action = publication(isPublished)
  const wasChanged = hasRow(auditEvents, isRecorded(actor, action, changelogs.id))
  const isChanged = and(isSelected, wasChanged)

  const { counted, entries } = await runTransaction(db, {
    actor,
    writes: [
      insertAuditEvents(
        actor,
        action,
        sql`select id from ${changelogs} where ${willChange}`,
      ),
      db.update(changelogs).set({ is_published: isPublished }).where(willChange),
    ],
    reads: {
      counted: db.select({ changed: count() }).from(changelogs).where(isChanged),
      entries: db
        .select(entryColumns)
        .from(changelogs)
        .where(isChanged)
        .orderBy(...NEWEST_FIRST)
        .limit(MAX_SHOWN),
    },
  })
  return { changed: counted[0]?.changed ?? 0, entries }
}
