import { desc, isNotNull, sql } from 'drizzle-orm'
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
import { NOW, RANDOM_UUID, timestamps, versionNumbers } from '#database/sql/columns.ts'
import type { Scope } from '#domain/api-tokens.ts'
import type { AuditAction, RelatedType, SubjectType } from '#domain/audit.ts'
import { CHANGELOG_CATEGORIES } from '#domain/changelog.ts'
import type { RoleName, RoleSlug } from '#domain/roles.ts'
import type { Version } from '#domain/versions.ts'

// A column `…_folded` holds a text without case and accents (domain/folding.ts), to search, sort or
// compare.

const refersTo = (column: () => SQLiteColumn) => text().notNull().references(column)

const now = () => text().notNull().default(NOW)

const isFlag = (name: string, column: SQLiteColumn) =>
  check(name, sql`${column} in (0, 1)`)

function isOneOf(name: string, column: string, values: readonly string[]) {
  const quoted = values.map((value) => `'${value}'`).join(', ')
  return check(name, sql.raw(`"${column}" in (${quoted})`))
}

export const roles = sqliteTable('roles', {
  id: integer().primaryKey(),
  name: text().$type<RoleName>().notNull().unique(),
  slug: text().$type<RoleSlug>().notNull().unique(),
  description: text().notNull(),
})

const referenceColumns = {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  name_folded: text().notNull(),
  active: integer({ mode: 'boolean' }).notNull().default(true),
  ...timestamps,
}

export const categories = sqliteTable(
  'categories',
  { ...referenceColumns, description: text().notNull() },
  (table) => [
    unique('categories_by_name').on(table.name_folded),
    isFlag('categories_active', table.active),
  ],
)

export const treatmentPronouns = sqliteTable(
  'treatment_pronouns',
  { ...referenceColumns, description: text().notNull() },
  (table) => [
    unique('treatment_pronouns_by_name').on(table.name_folded),
    isFlag('treatment_pronouns_active', table.active),
  ],
)

export const dioceses = sqliteTable(
  'dioceses',
  { ...referenceColumns, state: text().notNull() },
  (table) => [
    unique('dioceses_by_name').on(table.state, table.name_folded),
    isFlag('dioceses_active', table.active),
    check('dioceses_state', sql`${table.state} glob '[A-Z][A-Z]'`),
  ],
)

export const processes = sqliteTable('processes', {
  id: text().primaryKey(),
  name: text().notNull(),
  name_folded: text().notNull(),
  protocol: text().notNull(),
  protocol_folded: text().notNull().unique(),
  ...timestamps,
})

export const groups = sqliteTable(
  'groups',
  {
    id: text().primaryKey(),
    process_id: refersTo(() => processes.id),
    name: text().notNull(),
    name_folded: text().notNull(),
    color: text().notNull(),
    description: text().notNull(),
    ...timestamps,
  },
  (table) => [
    unique('groups_of_a_process').on(table.process_id, table.name_folded),
    check('groups_color', sql`${table.color} glob '#*' and length(${table.color}) = 7`),
  ],
)

export const questionnaires = sqliteTable(
  'questionnaires',
  {
    id: text().primaryKey(),
    group_id: refersTo(() => groups.id),
    title: text().notNull(),
    title_folded: text().notNull(),
    ...timestamps,
  },
  (table) => [unique('questionnaires_of_a_group').on(table.group_id, table.title_folded)],
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
    /** The folded full name. The trigger `users_renamed` copies a new one to `informer_groups`. */
    name_folded: text().notNull(),
    initials: text().notNull(),
    email: text().unique(),
    email_verification_required: integer({ mode: 'boolean' }).notNull().default(false),
    email_verified_at: text(),
    password_hash: text(),
    /**
     * Whether the password was set by someone who logged in through an emailed link: it ends when
     * the email changes.
     */
    password_by_link: integer({ mode: 'boolean' }).notNull().default(false),
    /** Access tokens of an earlier version are invalid. */
    token_version: integer().notNull().default(1),
    /** Rises with every change of the person, their email or their password. */
    revision: integer().notNull().default(1),
    /**
     * Sealed (security/sealed-secrets.ts). It waits for its first code until the factor is enabled.
     */
    second_factor_secret: text(),
    second_factor_created_at: text(),
    second_factor_enabled_at: text(),
    /** The time step (RFC 6238) of the last accepted code. */
    second_factor_step: integer(),
    cpf: text().unique(),
    phone: text(),
    img_url: text(),
    treatment_pronoun_id: integer().references(() => treatmentPronouns.id),
    category_id: integer().references(() => categories.id),
    diocese_id: integer().references(() => dioceses.id),
    ...timestamps,
  },
  (table) => [
    // covers searches, which then read no rows
    index('users_by_name').on(
      table.role_id,
      table.name_folded,
      table.id,
      table.email,
      table.cpf,
    ),
    // the users who refer to a row of a list, in the order of the list of users
    index('users_by_treatment_pronoun')
      .on(table.treatment_pronoun_id, table.role_id, table.name_folded, table.id)
      .where(isNotNull(table.treatment_pronoun_id)),
    index('users_by_category')
      .on(table.category_id, table.role_id, table.name_folded, table.id)
      .where(isNotNull(table.category_id)),
    index('users_by_diocese')
      .on(table.diocese_id, table.role_id, table.name_folded, table.id)
      .where(isNotNull(table.diocese_id)),
    check('users_first_name', sql`length(${table.first_name}) > 0`),
    check('users_email', sql`${table.email} = lower(${table.email})`),
    check(
      'users_cpf',
      sql`length(${table.cpf}) = 11 and ${table.cpf} not glob '*[^0-9]*'`,
    ),
    isFlag('users_email_verification_required', table.email_verification_required),
    isFlag('users_password_by_link', table.password_by_link),
  ],
)

/** The groups, and thereby processes, of an informer: so few that no index needs their order. */
export const informerGroups = sqliteTable(
  'informer_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    informer_id: refersTo(() => users.id),
    group_id: refersTo(() => groups.id),
    /** The process of the group, which never moves, for an index of its informers by name. */
    process_id: refersTo(() => processes.id),
    /**
     * The folded name of the informer, so that an index has a group's informers by name. Kept by
     * the trigger `users_renamed` of the first migration, which this file cannot show.
     */
    name_folded: text().notNull(),
    created_at: now(),
  },
  (table) => [
    unique('informer_groups_once').on(table.informer_id, table.group_id),
    index('informer_groups_by_group').on(
      table.group_id,
      table.name_folded,
      table.informer_id,
    ),
    index('informer_groups_by_process').on(
      table.process_id,
      table.name_folded,
      table.informer_id,
    ),
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

/** The emails with a link: to verify an email, or to reset a password. */
const LINK_KINDS = ['verification', 'password_reset'] as const

/** Emails that report a change, or that someone else may have the password. */
const NOTICE_KINDS = [
  'password_changed',
  'email_changed',
  'second_factor_enabled',
  'second_factor_disabled',
  'password_used',
  'api_token_created',
  'administrator_created',
] as const

const EMAIL_KINDS = [...LINK_KINDS, ...NOTICE_KINDS] as const

export type LinkKind = (typeof LINK_KINDS)[number]
export type NoticeKind = (typeof NOTICE_KINDS)[number]
export type EmailKind = (typeof EMAIL_KINDS)[number]

const kind = text({ enum: EMAIL_KINDS }).notNull()

const queueColumns = {
  email: text().notNull(),
  kind,
  attempts: integer().notNull().default(0),
  due_at: now(),
}

/**
 * Emails with a link to send, by address. Each goes to whoever has the address, if anyone, so that
 * a request is the same write for every address.
 */
export const emailOutbox = sqliteTable(
  'email_outbox',
  {
    ...queueColumns,
    /** Of notices before version 4.0, which have a table of their own now. Null. */
    user_id: text().references(() => users.id),
  },
  (table) => [
    primaryKey({ columns: [table.email, table.kind] }),
    index('email_outbox_by_time').on(table.due_at),
    // so that deleting a user does not read all emails
    index('email_outbox_by_user').on(table.user_id).where(isNotNull(table.user_id)),
  ],
)

/**
 * Notices to send, by person: nobody else's creation or deletion takes one back, whoever has the
 * address by then.
 */
export const notices = sqliteTable(
  'notices',
  {
    ...queueColumns,
    user_id: refersTo(() => users.id),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.email, table.kind] }),
    index('notices_by_time').on(table.due_at),
  ],
)

/** The emails of a day, by the keyed hash of their address, which outlives its user. */
export const sentEmails = sqliteTable(
  'sent_emails',
  {
    email_hash: text().notNull(),
    kind,
    sent_at: now(),
  },
  (table) => [
    index('sent_emails_by_email').on(table.email_hash, table.kind, table.sent_at),
    index('sent_emails_by_time').on(table.sent_at),
  ],
)

/** Hashes of the single-use tokens of emailed links. */
export const emailTokens = sqliteTable(
  'email_tokens',
  {
    token_hash: text().primaryKey(),
    user_id: refersTo(() => users.id),
    kind: text({ enum: LINK_KINDS }).notNull(),
    expires_at: text().notNull(),
  },
  (table) => [
    index('email_tokens_by_user').on(table.user_id, table.kind),
    index('email_tokens_by_time').on(table.expires_at),
    isOneOf('email_tokens_kind', 'kind', LINK_KINDS),
  ],
)

/** The API tokens that administrators made for programs. */
export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: text().primaryKey(),
    /** SHA-256. */
    token_hash: text().notNull().unique(),
    name: text().notNull(),
    scopes: text({ mode: 'json' }).$type<Scope[]>().notNull(),
    created_by: refersTo(() => users.id),
    created_at: now(),
    /** Its last day, in UTC. */
    expires_on: text().notNull(),
    last_used_on: text(),
  },
  (table) => [
    index('api_tokens_in_order').on(desc(table.created_at), table.id),
    index('api_tokens_by_user').on(table.created_by),
    index('api_tokens_by_expiry').on(table.expires_on),
    check('api_tokens_expires_on', sql`${table.expires_on} is date(${table.expires_on})`),
  ],
)

/** Recent failed logins, keyed hashes: they may belong to nobody. */
export const failedLogins = sqliteTable(
  'failed_logins',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    address: text().notNull(),
    failed_at: now(),
  },
  (table) => [
    index('failed_logins_by_identifier').on(
      table.identifier,
      table.failed_at,
      table.address,
    ),
    index('failed_logins_by_time').on(table.failed_at),
  ],
)

/** Recent wrong codes of second factors behind a right password. */
export const wrongCodes = sqliteTable(
  'wrong_codes',
  {
    /** The id of the request. */
    id: text().primaryKey(),
    user_id: refersTo(() => users.id),
    entered_at: now(),
  },
  (table) => [
    index('wrong_codes_by_user').on(table.user_id, table.entered_at),
    index('wrong_codes_by_time').on(table.entered_at),
  ],
)

/** Addresses of recent successful logins, by identifier. Both are keyed hashes. */
export const knownAddresses = sqliteTable(
  'known_addresses',
  {
    identifier: text().notNull(),
    address: text().notNull(),
    last_login_at: now(),
  },
  (table) => [
    primaryKey({ columns: [table.identifier, table.address] }),
    index('known_addresses_by_time').on(table.last_login_at),
  ],
)

/** Used idempotency keys with their bodies, as keyed hashes, and the ids of created rows. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    key_hash: text().primaryKey(),
    content_hash: text().notNull(),
    created_id: text().notNull(),
    created_at: now(),
  },
  (table) => [index('idempotency_keys_by_time').on(table.created_at)],
)

/** Records of who did what, without values. No foreign key: a record outlives its user. */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: text().primaryKey().default(RANDOM_UUID),
    created_at: now(),
    actor_id: text().notNull(),
    action: text().$type<AuditAction>().notNull(),
    subject_type: text().$type<SubjectType>().notNull(),
    subject_id: text(),
    /** The group of an association, or the questionnaire of a completion. */
    related_type: text().$type<RelatedType>(),
    related_id: text(),
    /** The API token that the actor's program wrote with. */
    api_token_id: text(),
    request_id: text().notNull(),
  },
  (table) => [
    index('audit_events_by_request').on(table.request_id, table.action, table.subject_id),
    // includes the filter columns, so that no other rows are read
    index('audit_events_by_time').on(
      table.created_at,
      table.id,
      table.action,
      table.subject_type,
    ),
    index('audit_events_by_actor').on(table.actor_id, table.created_at, table.id),
    index('audit_events_by_subject').on(table.subject_id, table.created_at, table.id),
    index('audit_events_by_related')
      .on(table.related_id, table.created_at, table.id)
      .where(isNotNull(table.related_id)),
    index('audit_events_by_api_token')
      .on(table.api_token_id, table.created_at, table.id)
      .where(isNotNull(table.api_token_id)),
  ],
)

/**
 * Committed transactions, by an id of their own, so that repeating one has no effect; and the
 * conditions that transactions depend on (database/transactions.ts).
 */
export const transactions = sqliteTable(
  'transactions',
  {
    id: text().primaryKey(),
    caller_is_current: integer({ mode: 'boolean' }).notNull().default(true),
    precondition_holds: integer({ mode: 'boolean' }).notNull().default(true),
    committed_at: now(),
  },
  (table) => [
    index('transactions_by_time').on(table.committed_at),
    check('caller_is_current', sql`${table.caller_is_current}`),
    check('precondition_holds', sql`${table.precondition_holds}`),
  ],
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
