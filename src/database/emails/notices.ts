import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { dueAgain } from './outbox.ts'
import type { Database } from '#database/client.ts'
import { emailOutbox, type NoticeKind, notices } from '#database/schema/emails.ts'
import { users } from '#database/schema/users.ts'

/**
 * Builds the statement that enqueues a notice for each user who matches a condition.
 * @param address where it goes, by default to their current email; nowhere if null
 */
export const insertNotice = (
  kind: NoticeKind,
  where: SQL | undefined,
  address: SQLWrapper | string | null = users.email,
): SQL => sql`
  insert into ${notices} (user_id, email, kind)
  select ${users.id}, ${address}, ${kind} from ${users}
  where ${address} is not null and ${where}
  on conflict (user_id, email, kind) do update
  set attempts = 0, due_at = ${dueAgain(notices)}`

/**
 * Builds the statements that delete a user's queued notices, to any address: also those that 3.0
 * has put among the links, before this version replaced it or after a rollback.
 */
export const deleteQueuedNotices = (db: Database, userId: string) => [
  db.delete(notices).where(eq(notices.user_id, userId)),
  db.delete(emailOutbox).where(eq(emailOutbox.user_id, userId)),
]
