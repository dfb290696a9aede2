import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { CHANGELOG_CATEGORIES } from '../domain/changelog.ts'
import type { RoleSlug } from '../domain/roles.ts'
import type { Version } from '../domain/versions.ts'
import { active, folded, foldingSteps, NOW, timestamps, uuid, versionNumbers } from './columns.ts'

export const roles = sqliteTable('roles', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  slug: text().$type<RoleSlug>().notNull().unique(),
  description: text().notNull(),
})

export const categories = sqliteTable(
  'categories',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    description: text().notNull(),
    active,
    ...foldingSteps('name'),
    name_folded: folded('name'),
    ...foldingSteps('description'),
    description_folded: folded('description'),
    ...timestamps,
  },
  (table) => [
    index('categories_by_name').on(table.name_folded, table.id),
    index('categories_by_active_and_name').on(table.active, table.name_folded, table.id),
    check('categories_active', sql`${table.active} in (0, 1)`),
  ],
)

export const treatmentPronouns = sqliteTable(
  'treatment_pronouns',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    description: text().notNull(),
    active,
    ...timestamps,
  },
  (table) => [check('treatment_pronouns_active', sql`${table.active} in (0, 1)`)],
)

export const dioceses = sqliteTable(
  'dioceses',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    state: text().notNull(),
    active,
    ...timestamps,
  },
  (table) => [
    check('dioceses_active', sql`${table.active} in (0, 1)`),
    check('dioceses_state', sql`${table.state} glob '[A-Z][A-Z]'`),
  ],
)

export const processes = sqliteTable('processes', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  protocol: text().notNull().unique(),
  ...timestamps,
})

export const groups = sqliteTable(
  'groups',
  {
    id: uuid().primaryKey(),
    process_id: uuid()
      .notNull()
      .references(() => processes.id),
    name: text().notNull(),
    color: text().notNull(),
    description: text().notNull(),
    ...timestamps,
  },
  (table) => [
    unique('groups_of_a_process').on(table.process_id, table.name),
    check('groups_color', sql`${table.color} glob '#*' and length(${table.color}) = 7`),
  ],
)

export const questionnaires = sqliteTable(
  'questionnaires',
  {
    id: uuid().primaryKey(),
    group_id: uuid()
      .notNull()
      .references(() => groups.id),
    title: text().notNull(),
    ...timestamps,
  },
  (table) => [unique('questionnaires_of_a_group').on(table.group_id, table.title)],
)

export const users = sqliteTable(
  'users',
  {
    id: uuid().primaryKey(),
    role_id: integer()
      .notNull()
      .references(() => roles.id),
    first_name: text().notNull(),
    last_name: text(),
    initials: text().notNull(),
    email: text().unique(),
    email_verification_required: integer({ mode: 'boolean' }).notNull().default(false),
    email_verified_at: text(),
    password_hash: text(),
    cpf: text().unique(),
    phone: text(),
    img_url: text(),
    treatment_pronoun_id: integer().references(() => treatmentPronouns.id),
    category_id: integer().references(() => categories.id),
    diocese_id: integer().references(() => dioceses.id),
    ...timestamps,
  },
  (table) => [
    check('users_first_name', sql`length(${table.first_name}) > 0`),
    check('users_email', sql`${table.email} = lower(${table.email})`),
    check('users_cpf', sql`length(${table.cpf}) = 11 and ${table.cpf} not glob '*[^0-9]*'`),
    check('users_email_verification_required', sql`${table.email_verification_required} in (0, 1)`),
  ],
)

/** The groups, and so the processes, that an informer is consulted in, in the order of association. */
export const informerGroups = sqliteTable(
  'informer_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    informer_id: uuid()
      .notNull()
      .references(() => users.id),
    group_id: uuid()
      .notNull()
      .references(() => groups.id),
    created_at: text().notNull().default(NOW),
  },
  (table) => [
    unique('informer_groups_once').on(table.informer_id, table.group_id),
    index('informer_groups_in_order').on(table.informer_id, table.created_at, table.id),
  ],
)

/** The questionnaires that an informer has completed. */
export const informerCompletions = sqliteTable(
  'informer_completions',
  {
    informer_id: uuid()
      .notNull()
      .references(() => users.id),
    questionnaire_id: uuid()
      .notNull()
      .references(() => questionnaires.id),
    created_at: text().notNull().default(NOW),
  },
  (table) => [primaryKey({ columns: [table.informer_id, table.questionnaire_id] })],
)

export const changelogs = sqliteTable(
  'changelogs',
  {
    id: uuid().primaryKey(),
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
    const newestLast = [
      table.date,
      table.version_major,
      table.version_minor,
      table.version_patch,
      table.created_at,
      table.id,
    ] as const
    return [
      index('changelogs_in_order').on(...newestLast),
      index('changelogs_published_in_order').on(table.is_published, ...newestLast),
      index('changelogs_by_version').on(table.version_major, table.version_minor, table.version_patch),
      check('changelogs_version', sql`${table.version} glob 'v[0-9]*.[0-9]*.[0-9]*'`),
      check('changelogs_date', sql`${table.date} is date(${table.date})`),
      check(
        'changelogs_category',
        sql.raw(`"category" in (${CHANGELOG_CATEGORIES.map((name) => `'${name}'`).join(', ')})`),
      ),
      check('changelogs_is_published', sql`${table.is_published} in (0, 1)`),
    ]
  },
)

/** Who is to be sent a verification mail, and when it is tried next. The mail itself is written when it is sent. */
export const pendingMails = sqliteTable(
  'pending_mails',
  {
    user_id: uuid()
      .primaryKey()
      .references(() => users.id),
    attempts: integer().notNull().default(0),
    due_at: text().notNull().default(NOW),
  },
  (table) => [index('pending_mails_by_time').on(table.due_at)],
)

/** The links of verification mails: a hash of each token, and which request has used it. */
export const emailVerifications = sqliteTable(
  'email_verifications',
  {
    token_hash: text().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id),
    expires_at: text().notNull(),
    used_by: text(),
  },
  (table) => [
    index('email_verifications_of_a_user').on(table.user_id),
    index('email_verifications_by_time').on(table.expires_at),
  ],
)

/** Logins that failed, each for as long as it counts. By a pseudonym, for it may be of somebody who is no user. */
export const failedLogins = sqliteTable(
  'failed_logins',
  {
    id: uuid().primaryKey(),
    identifier: text().notNull(),
    failed_at: text().notNull().default(NOW),
  },
  (table) => [
    index('failed_logins_by_identifier').on(table.identifier, table.failed_at),
    index('failed_logins_by_time').on(table.failed_at),
  ],
)

/** Every commit that was ever an entry. It outlives its entry, so that what was deleted stays deleted. */
export const importedCommits = sqliteTable('imported_commits', { hash: text().primaryKey() })

/** How far a repository's history has been read, for the next import to ask only for what is new. */
export const readHistories = sqliteTable('read_histories', {
  /** Where it was read: server, repository and branch. */
  source: text().primaryKey(),
  /** When the newest of its commits was committed. */
  newest: text().notNull(),
})
