import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { now } from '#database/sql/columns.ts'

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
