import { lte, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { idempotencyKeys } from './schema.ts'

/** How long keys are stored. */
const LIFETIME_MINUTES = 7 * 24 * 60

/** The id to create, derived from the key and body, and the keyed hash of the key; null without a key. */
export type IdempotentInsert = { id: string; keyHash: string | null }

/** A condition: the key was not used with another body. True without a key. */
export function isKeyUnused({ id, keyHash }: IdempotentInsert): SQL<boolean> {
  return sql`not exists (
    select 1 from idempotency_keys where key_hash = ${keyHash} and created_id <> ${id})`.mapWith(
    Boolean,
  ) as SQL<boolean>
}

/** Builds the query of `isKeyUnused`, for a batch. */
export function selectKeyUnused(db: Database, insert: IdempotentInsert) {
  return db.select({ isUnused: isKeyUnused(insert) }).from(sql`(select 1)`)
}

/** Stores a key if the previous statement of the batch changed a row. */
export function storeKey(db: Database, { id, keyHash }: IdempotentInsert) {
  return db
    .insert(idempotencyKeys)
    .select(sql`select ${keyHash}, ${id}, ${NOW} where changes() > 0 and ${keyHash} is not null`)
    .onConflictDoNothing()
}

/** Deletes expired keys. */
export async function deleteExpiredKeys(db: Database): Promise<void> {
  await db.delete(idempotencyKeys).where(lte(idempotencyKeys.created_at, minutesFromNow(-LIFETIME_MINUTES)))
}
