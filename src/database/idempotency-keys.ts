import { inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import type { Statement } from './transactions.ts'
import { idempotencyKeys } from '#database/schema/transactions.ts'

/** How long a key is remembered: a week. */
export const KEY_LIFETIME_MINUTES = 7 * 24 * 60

type StoredKey = typeof idempotencyKeys.$inferSelect

/** A key and the body sent with it, as keyed hashes. */
export type IdempotencyKey = Pick<StoredKey, 'key_hash' | 'content_hash'>

const isAnyOf = (keys: IdempotencyKey[]): SQL =>
  inArray(
    idempotencyKeys.key_hash,
    keys.map(({ key_hash }) => key_hash),
  )

/** Returns the row of a key by any of its hashes, or null. One round trip. */
export const getIdempotencyKey = async (
  db: Database,
  keys: IdempotencyKey[],
): Promise<StoredKey | null> =>
  (await db.select().from(idempotencyKeys).where(isAnyOf(keys)).get()) ?? null

/**
 * Builds the statement that stores a request's key, if any, with the id of the created row. The
 * primary key refuses it if any hash of the key is stored.
 * @param keys the hashes with the current secret, then those with the previous one
 */
export function insertIdempotencyKey(
  db: Database,
  keys: IdempotencyKey[],
  created_id: string | SQL,
): Statement[] {
  const [current] = keys
  if (!current) return []

  const stored = db
    .select({ key_hash: idempotencyKeys.key_hash })
    .from(idempotencyKeys)
    .where(isAnyOf(keys))
  const key_hash = sql<string>`coalesce(${stored}, ${current.key_hash})`
  return [db.insert(idempotencyKeys).values({ ...current, key_hash, created_id })]
}
