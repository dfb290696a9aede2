import { eq, type SQL, sql } from 'drizzle-orm'
import { DUE_AGAIN } from './outbox.ts'
import type { Database } from '#database/client.ts'
import { emailOutbox, type NoticeKind, users } from '#database/schema.ts'
import type { Statement } from '#database/transactions.ts'

/** Builds the statement that enqueues a notice for a user; none if there is no address. */
export const insertNotice = (
  db: Database,
  kind: NoticeKind,
  email: string | null,
  user_id: string,
): Statement[] =>
  email === null
    ? []
    : [
        db
          .insert(emailOutbox)
          .values({ email, kind, user_id })
          .onConflictDoUpdate({
            target: [emailOutbox.email, emailOutbox.kind],
            set: { user_id, attempts: 0, due_at: DUE_AGAIN },
          }),
      ]

/**
 * Builds the statement that enqueues a notice for each user who matches a condition, to their
 * current address.
 */
export const insertNoticeFor = (kind: NoticeKind, where: SQL | undefined): SQL => sql`
  insert into ${emailOutbox} (email, kind, user_id)
  select ${users.email}, ${kind}, ${users.id} from ${users}
  where ${users.email} is not null and ${where}
  on conflict (email, kind) do update
  set user_id = excluded.user_id, attempts = 0, due_at = ${DUE_AGAIN}`

/** Builds the statement that deletes a user's queued notices, to any address. */
export const deleteQueuedNotices = (db: Database, userId: string) =>
  db.delete(emailOutbox).where(eq(emailOutbox.user_id, userId))
