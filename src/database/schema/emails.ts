import { isNotNull } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'
import { isOneOf, now, refersTo } from '#database/sql/columns.ts'

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
