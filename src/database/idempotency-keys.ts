import { lte, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { minutesFromNow, NOW } from './columns.ts'
import { idempotencyKeys } from './schema.ts'

/** A key is known for so long after it created something. */
const KNOWN_MINUTES = 7 * 24 * 60

/** What a request creates: an id made of its key and body, and the keyed hash of the key; null where it has none. */
export type Creation = { id: string; keyHash: string | null }

/** Whether a key has created nothing yet from another body, to guard a creation. It holds without a key. */
export function isKeyFree({ id, keyHash }: Creation): SQL<boolean> {
  return sql`not exists (
    select 1 from idempotency_keys where key_hash = ${keyHash} and created_id <> ${id})`.mapWith(
    Boolean,
  ) as SQL<boolean>
}

/** The statement that reads whether a key is free, to join a batch. */
export function selectKeyFree(db: Database, creation: Creation) {
  return db.select({ isFree: isKeyFree(creation) }).from(sql`(select 1)`)
}

/** The statement that stores a key, if the statement directly before it in the batch changed a row. */
export function storeKey(db: Database, { id, keyHash }: Creation) {
  return db
    .insert(idempotencyKeys)
    .select(sql`select ${keyHash}, ${id}, ${NOW} where changes() > 0 and ${keyHash} is not null`)
    .onConflictDoNothing()
}

/** Deletes the keys that are known no more. */
export async function deleteExpiredKeys(db: Database): Promise<void> {
  await db.delete(idempotencyKeys).where(lte(idempotencyKeys.created_at, minutesFromNow(-KNOWN_MINUTES)))
}
