import { inArray, type SQL } from 'drizzle-orm'
import type { Database } from './client.ts'
import { idempotencyKeys } from './schema.ts'
import type { Statement } from './transactions.ts'

type StoredKey = typeof idempotencyKeys.$inferSelect

/** A key and the body sent with it, as keyed hashes. */
export type IdempotencyKey = Pick<StoredKey, 'key_hash' | 'content_hash'>

/** Returns the row of a key by any of its hashes, or null. One round trip. */
export async function getIdempotencyKey(
  db: Database,
  keyHashes: string[],
): Promise<StoredKey | null> {
  const hasHash = inArray(idempotencyKeys.key_hash, keyHashes)
  return (await db.select().from(idempotencyKeys).where(hasHash).get()) ?? null
}

/** Builds the statement that stores a request's key, if any, with the id of the created row. */
export const insertIdempotencyKey = (
  db: Database,
  key: IdempotencyKey | undefined,
  created_id: string | SQL,
): Statement[] => (key ? [db.insert(idempotencyKeys).values({ ...key, created_id })] : [])
