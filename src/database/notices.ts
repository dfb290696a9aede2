import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { DUE_AGAIN } from './email-outbox.ts'
import { emailOutbox, type NoticeKind, users } from './schema.ts'

// Each is a statement before the write that it tells of, in its transaction: it sees the user as
// before.

/**
 * Builds the statement that tells users that their password was changed or removed. A user without
 * one gets no notice, and a retried write sends none twice.
 * @param passwordHash the new one, or null
 */
export const enqueuePasswordNotice = (
  where: SQL | undefined,
  passwordHash: string | null,
): SQL =>
  enqueueNotice(
    'password_changed',
    users.email,
    and(
      where,
      isNotNull(users.password_hash),
      sql`${users.password_hash} is not ${passwordHash}`,
    ),
  )

/**
 * Builds the statements that tell users, at both addresses, that their email was changed or
 * removed.
 * @param email the new one, or null
 */
export const enqueueEmailNotices = (
  where: SQL | undefined,
  email: string | null,
): SQL[] => [
  enqueueNotice('email_changed', users.email, where),
  ...(email === null ? [] : [enqueueNotice('email_changed', email, where)]),
]

/** Users who had no address get no notice. */
const enqueueNotice = (
  kind: NoticeKind,
  email: typeof users.email | string,
  where: SQL | undefined,
) => sql`
  insert into ${emailOutbox} (email, kind, user_id)
  select ${email}, ${kind}, ${users.id} from ${users}
  where ${and(isNotNull(users.email), where)}
  on conflict (email, kind) do update set
    user_id = excluded.user_id, attempts = 0, due_at = ${DUE_AGAIN}`

/** Builds the statement that drops the notices that are queued for a user, to any address. */
export const dropQueuedNotices = (db: Database, userId: string) =>
  db.delete(emailOutbox).where(eq(emailOutbox.user_id, userId))
