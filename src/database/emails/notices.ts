import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { DUE_AGAIN } from './outbox.ts'
import type { Database } from '#database/client.ts'
import { emailOutbox, type NoticeKind, users } from '#database/schema.ts'

/**
 * Builds the statement that enqueues a notice for each user who matches a condition.
 * @param address where it goes, by default to their current email; nowhere if null
 */
export const insertNotice = (
  kind: NoticeKind,
  where: SQL | undefined,
  address: SQLWrapper | string | null = users.email,
): SQL => sql`
  insert into ${emailOutbox} (email, kind, user_id)
  select ${address}, ${kind}, ${users.id} from ${users}
  where ${address} is not null and ${where}
  on conflict (email, kind) do update
  set user_id = excluded.user_id, attempts = 0, due_at = ${DUE_AGAIN}`

/** Builds the statement that deletes a user's queued notices, to any address. */
export const deleteQueuedNotices = (db: Database, userId: string) =>
  db.delete(emailOutbox).where(eq(emailOutbox.user_id, userId))
