import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'
import { now, refersTo } from '#database/sql/columns.ts'

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
