import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { isFlag, isOneOf, timestamps } from '#database/sql/columns.ts'
import { CHANGELOG_CATEGORIES } from '#domain/changelog.ts'
import type { Version } from '#domain/versions.ts'

const AFTER_MAJOR = `substr("version", instr("version", '.') + 1)`

const versionNumber = (expression: string) =>
  integer().generatedAlwaysAs(sql.raw(`cast(${expression} as integer)`), {
    mode: 'stored',
  })

/** Numeric version parts, so `v1.10.0` sorts after `v1.9.0`. */
const versionNumbers = {
  version_major: versionNumber('substr("version", 2)'),
  version_minor: versionNumber(AFTER_MAJOR),
  version_patch: versionNumber(`substr(${AFTER_MAJOR}, instr(${AFTER_MAJOR}, '.') + 1)`),
}

export const changelogs = sqliteTable(
  'changelogs',
  {
    id: text().primaryKey(),
    version: text().$type<Version>().notNull(),
    ...versionNumbers,
    date: text().notNull(),
    title: text().notNull(),
    description: text().notNull(),
    category: text({ enum: CHANGELOG_CATEGORIES }).notNull(),
    is_published: integer({ mode: 'boolean' }).notNull().default(false),
    git_commit_hash: text().unique(),
    ...timestamps,
  },
  (table) => {
    const { date, version_major, version_minor, version_patch, created_at, id } = table
    const newestLast = [
      date,
      version_major,
      version_minor,
      version_patch,
      created_at,
      id,
    ] as const
    return [
      index('changelogs_in_order').on(...newestLast),
      index('changelogs_published_in_order').on(table.is_published, ...newestLast),
      index('changelogs_by_version').on(version_major, version_minor, version_patch),
      index('changelogs_by_category').on(
        table.category,
        ...newestLast,
        table.is_published,
      ),
      check('changelogs_version', sql`${table.version} glob 'v[0-9]*.[0-9]*.[0-9]*'`),
      check('changelogs_date', sql`${date} is date(${date})`),
      isOneOf('changelogs_category', 'category', CHANGELOG_CATEGORIES),
      isFlag('changelogs_is_published', table.is_published),
    ]
  },
)

/**
 * All imported commits, including merges. A row outlives its entry, so that deleted entries stay
 * deleted.
 */
export const importedCommits = sqliteTable('imported_commits', {
  hash: text().primaryKey(),
})

/** The last commit read from each repository, so that the next import reads only newer ones. */
export const syncCursors = sqliteTable('sync_cursors', {
  /** Server, repository and branch. */
  source: text().primaryKey(),
  head: text().notNull(),
})
