import { inArray, type SQL } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow } from './columns.ts'
import { deleteOldest } from './expiry.ts'
import { idempotencyKeys } from './schema.ts'

/** How long keys are stored. */
const LIFETIME_MINUTES = 7 * 24 * 60

/** A key and the body that it was sent with, as keyed hashes. */
export type IdempotencyKey = { key_hash: string; content_hash: string }

/**
 * The body that a key was used with, and the id of what that made; null if it was not used.
 *
 * @param keyHashes of one key, by the present and the previous secret
 */
export async function findIdempotencyKey(db: Database, keyHashes: string[]) {
  const key = await db.select().from(idempotencyKeys).where(inArray(idempotencyKeys.key_hash, keyHashes)).get()
  return key ?? null
}

/** Builds the statement that stores a key with what it made. */
export function insertIdempotencyKey(db: Database, key: IdempotencyKey, createdId: string | SQL) {
  return db.insert(idempotencyKeys).values({ ...key, created_id: createdId })
}

/** Deletes expired keys. */
export const deleteExpiredKeys = (db: Database) =>
  deleteOldest(db, idempotencyKeys.created_at, minutesFromNow(-LIFETIME_MINUTES))
