import { isNotNull, sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core'
import { CHANGELOG_CATEGORIES } from '../domain/changelog.ts'
import type { RoleSlug } from '../domain/roles.ts'
import type { Version } from '../domain/versions.ts'
import { NOW, timestamps, versionNumbers } from './columns.ts'

const refersTo = (column: () => SQLiteColumn) => text().notNull().references(column)

const now = () => text().notNull().default(NOW)

const isFlag = (name: string, column: SQLiteColumn) => check(name, sql`${column} in (0, 1)`)

const isOneOf = (name: string, column: string, values: readonly string[]) =>
  check(name, sql.raw(`"${column}" in (${values.map((value) => `'${value}'`).join(', ')})`))

export const roles = sqliteTable('roles', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  slug: text().$type<RoleSlug>().notNull().unique(),
  description: text().notNull(),
})

/** A row of a list. Its name without case and accents is null only where it collided before it had to be unique. */
const listItem = <Columns>(own: Columns) => ({
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  name_folded: text(),
  ...own,
  active: integer({ mode: 'boolean' }).notNull().default(true),
  ...timestamps,
})

const describedList = <Name extends string>(name: Name) =>
  sqliteTable(name, listItem({ description: text().notNull() }), (table) => [
    unique(`${name}_by_name`).on(table.name_folded),
    isFlag(`${name}_active`, table.active),
  ])

export const categories = describedList('categories')

export const treatmentPronouns = describedList('treatment_pronouns')

export const dioceses = sqliteTable('dioceses', listItem({ state: text().notNull() }), (table) => [
  unique('dioceses_by_name').on(table.state, table.name_folded),
  isFlag('dioceses_active', table.active),
  check('dioceses_state', sql`${table.state} glob '[A-Z][A-Z]'`),
])

// The folded columns of these three (domain/folding.ts) make names unique without case and accents. They are null in
// rows of an earlier release that collide, which the exact indexes still keep apart.

export const processes = sqliteTable('processes', {
  id: text().primaryKey(),
  name: text().notNull(),
  protocol: text().notNull().unique(),
  ...timestamps,
  name_folded: text(),
  protocol_folded: text().unique(),
})

export const groups = sqliteTable(
  'groups',
  {
    id: text().primaryKey(),
    process_id: refersTo(() => processes.id),
    name: text().notNull(),
    color: text().notNull(),
    description: text().notNull(),
    ...timestamps,
    name_folded: text(),
  },
  (table) => [
    unique('groups_of_a_process').on(table.process_id, table.name),
    unique('groups_of_a_process_folded').on(table.process_id, table.name_folded),
    check('groups_color', sql`${table.color} glob '#*' and length(${table.color}) = 7`),
  ],
)

export const questionnaires = sqliteTable(
  'questionnaires',
  {
    id: text().primaryKey(),
    group_id: refersTo(() => groups.id),
    title: text().notNull(),
    ...timestamps,
    title_folded: text(),
  },
  (table) => [
    unique('questionnaires_of_a_group').on(table.group_id, table.title),
    unique('questionnaires_of_a_group_folded').on(table.group_id, table.title_folded),
  ],
)

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    role_id: integer()
      .notNull()
      .references(() => roles.id),
    first_name: text().notNull(),
    last_name: text(),
    /** The full name without case and accents (domain/folding.ts), for searching and sorting. */
    name_folded: text().notNull(),
    initials: text().notNull(),
    email: text().unique(),
    email_verification_required: integer({ mode: 'boolean' }).notNull().default(false),
    email_verified_at: text(),
    password_hash: text(),
    /** Whether the password is of somebody who came in by a mailed link: it ends when the email changes. */
    password_by_link: integer({ mode: 'boolean' }).notNull().default(false),
    /** Access tokens of an earlier version are invalid. */
    token_version: integer().notNull().default(1),
    cpf: text().unique(),
    phone: text(),
    img_url: text(),
    treatment_pronoun_id: integer().references(() => treatmentPronouns.id),
    category_id: integer().references(() => categories.id),
    diocese_id: integer().references(() => dioceses.id),
    ...timestamps,
  },
  (table) => [
    // with all that a search looks at, so that it reads no rows
    index('users_by_name').on(table.role_id, table.name_folded, table.id, table.email, table.cpf),
    // a row of a list is deleted only if none of these has it
    index('users_by_treatment_pronoun')
      .on(table.treatment_pronoun_id)
      .where(isNotNull(table.treatment_pronoun_id)),
    index('users_by_category').on(table.category_id).where(isNotNull(table.category_id)),
    index('users_by_diocese').on(table.diocese_id).where(isNotNull(table.diocese_id)),
    check('users_first_name', sql`length(${table.first_name}) > 0`),
    check('users_email', sql`${table.email} = lower(${table.email})`),
    check('users_cpf', sql`length(${table.cpf}) = 11 and ${table.cpf} not glob '*[^0-9]*'`),
    isFlag('users_email_verification_required', table.email_verification_required),
  ],
)

/** The groups, and thereby processes, of an informer: few, so that no index has their order. */
export const informerGroups = sqliteTable(
  'informer_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    informer_id: refersTo(() => users.id),
    group_id: refersTo(() => groups.id),
    created_at: now(),
    /** Of the group, and of the informer (a trigger renames): an index has the members of a group or process by name. */
    process_id: text(),
    name_folded: text(),
  },
  (table) => [
    unique('informer_groups_once').on(table.informer_id, table.group_id),
    index('informer_groups_by_group').on(table.group_id, table.name_folded, table.informer_id),
    index('informer_groups_by_process').on(table.process_id, table.name_folded, table.informer_id),
  ],
)

/** The questionnaires that an informer has completed. */
export const informerCompletions = sqliteTable(
  'informer_completions',
  {
    informer_id: refersTo(() => users.id),
    questionnaire_id: refersTo(() => questionnaires.id),
    created_at: now(),
  },
  (table) => [
    primaryKey({ columns: [table.informer_id, table.questionnaire_id] }),
    // so that deleting a questionnaire does not read all completions
    index('informer_completions_by_questionnaire').on(table.questionnaire_id),
  ],
)

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
    const newestLast = [date, version_major, version_minor, version_patch, created_at, id] as const
    return [
      index('changelogs_in_order').on(...newestLast),
      index('changelogs_published_in_order').on(table.is_published, ...newestLast),
      index('changelogs_by_version').on(version_major, version_minor, version_patch),
      index('changelogs_by_category').on(table.category, ...newestLast, table.is_published),
      check('changelogs_version', sql`${table.version} glob 'v[0-9]*.[0-9]*.[0-9]*'`),
      check('changelogs_date', sql`${date} is date(${date})`),
      isOneOf('changelogs_category', 'category', CHANGELOG_CATEGORIES),
      isFlag('changelogs_is_published', table.is_published),
    ]
  },
)

/** The emailed links: to verify an email, or to reset a password. */
const EMAIL_KINDS = ['verification', 'password_reset'] as const

export type EmailKind = (typeof EMAIL_KINDS)[number]

const kind = text({ enum: EMAIL_KINDS }).notNull()

/** Emails to send, by address, even one without a user: so a request is the same write for any address. */
export const emailOutbox = sqliteTable(
  'email_outbox',
  { email: text().notNull(), kind, attempts: integer().notNull().default(0), due_at: now() },
  (table) => [
    primaryKey({ columns: [table.email, table.kind] }),
    index('email_outbox_by_time').on(table.due_at),
    isOneOf('email_outbox_kind', 'kind', EMAIL_KINDS),
  ],
)

/**
 * Hashes of the single-use tokens of emailed links, and the request that used or voided each. Kept a day longer than
 * they are valid, because they also count the emails of a day.
 */
export const emailTokens = sqliteTable(
  'email_tokens',
  {
    token_hash: text().primaryKey(),
    user_id: refersTo(() => users.id),
    kind,
    expires_at: text().notNull(),
    used_by: text(),
  },
  (table) => [
    index('email_tokens_by_user').on(table.user_id, table.kind),
    index('email_tokens_by_time').on(table.expires_at),
    isOneOf('email_tokens_kind', 'kind', EMAIL_KINDS),
  ],
)

/** Recent failed logins, keyed hashes: they may belong to non-users. */
export const failedLogins = sqliteTable(
  'failed_logins',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    address: text().notNull(),
    failed_at: now(),
  },
  (table) => [
    index('failed_logins_by_identifier').on(table.identifier, table.failed_at, table.address),
    index('failed_logins_by_time').on(table.failed_at),
  ],
)

/** Addresses of recent successful logins, by identifier. Both are keyed hashes. */
export const knownAddresses = sqliteTable(
  'known_addresses',
  { identifier: text().notNull(), address: text().notNull(), last_login_at: now() },
  (table) => [
    primaryKey({ columns: [table.identifier, table.address] }),
    index('known_addresses_by_time').on(table.last_login_at),
  ],
)

/** Used idempotency keys and the body of each, as keyed hashes, and what each created. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    key_hash: text().primaryKey(),
    created_id: text().notNull(),
    created_at: now(),
    content_hash: text(),
  },
  (table) => [index('idempotency_keys_by_time').on(table.created_at)],
)

/** Audited actions, without values. No foreign key to users: an event outlives its user. */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: text().primaryKey(),
    created_at: now(),
    actor_id: text().notNull(),
    action: text().notNull(),
    subject_type: text().notNull(),
    subject_id: text(),
    request_id: text().notNull(),
  },
  (table) => [
    // with the action, to find those of one without reading other rows
    index('audit_events_by_time').on(table.created_at, table.id, table.action),
    index('audit_events_by_actor').on(table.actor_id, table.created_at, table.id),
    index('audit_events_by_subject').on(table.subject_id, table.created_at, table.id),
  ],
)

/** All imported commits, including merges. A row outlives its entry, so that deleted entries stay deleted. */
export const importedCommits = sqliteTable('imported_commits', {
  hash: text().primaryKey(),
  /** Read from a repository's branch, so all its ancestors are imported too. */
  is_on_branch: integer({ mode: 'boolean' }).notNull().default(false),
})

/** Commits that were reachable only from release tags when these were read, so that each tag is read once. */
export const releaseCommits = sqliteTable('release_commits', {
  hash: text().primaryKey(),
  /** Null if unknown. */
  parents: text({ mode: 'json' }).$type<string[]>(),
})

/** The last commit read from each repository, so that the next import reads only newer ones. */
export const syncCursors = sqliteTable('sync_cursors', {
  /** Server, repository and branch. */
  source: text().primaryKey(),
  head: text().notNull(),
})
