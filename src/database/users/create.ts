import { eq, sql } from 'drizzle-orm'
import { selectUser, type UserRow } from './user-row.ts'
import { type Actor, actorId } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { insertLinkEmail } from '#database/emails/outbox.ts'
import type { IdempotencyKey } from '#database/idempotency-keys.ts'
import { createRow } from '#database/recorded-rows.ts'
import { groups, informerGroups } from '#database/schema/processes.ts'
import { users } from '#database/schema/users.ts'
import type { Exactly } from '#database/sql/conditions.ts'
import type { Statement } from '#database/transactions.ts'
import { fold } from '#domain/folding.ts'
import { fullName, initials } from '#domain/names.ts'
import type { RoleSlug } from '#domain/roles.ts'

type UserColumns = typeof users.$inferInsert

/** The columns of a new user that come, directly or derived, from a request. */
export type NewUser = Pick<
  UserColumns,
  | 'id'
  | 'first_name'
  | 'last_name'
  | 'email'
  | 'email_verification_required'
  | 'password_hash'
  | 'cpf'
  | 'phone'
  | 'img_url'
  | 'treatment_pronoun_id'
  | 'category_id'
  | 'diocese_id'
>

/** Returns the columns derived from a name. */
export function nameColumns(person: { first_name: string; last_name?: string | null }) {
  const name = fullName(person)
  return { name_folded: fold(name), initials: initials(name) }
}

/** Builds the statement that inserts a user of a role. */
export const insertUser = (db: Database, role: RoleSlug, user: NewUser) =>
  db.insert(users).values({
    ...user,
    ...nameColumns(user),
    role_id: sql`(select id from roles where slug = ${role})`,
  })

/**
 * Creates a user with their groups and, if their email must be verified, the email that asks for
 * it. Of a new administrator, who made them is notified.
 * @throws {RefusedError} by a unique index or a foreign key
 */
export function createUser<New extends NewUser>(
  db: Database,
  role: RoleSlug,
  user: Exactly<NewUser, New>,
  groupIds: string[],
  actor: Actor,
  keys: IdempotencyKey[] = [],
): Promise<UserRow> {
  const { id, email, email_verification_required } = user
  const { name_folded } = nameColumns(user)
  const inserts = [
    insertUser(db, role, user),
    ...associateNew({ id, name_folded }, groupIds, actor),
    ...(email_verification_required && email
      ? [insertLinkEmail(db, email, 'verification')]
      : []),
    ...(role === 'administrator'
      ? [insertNotice('administrator_created', eq(users.id, actorId(actor)))]
      : []),
  ]
  const created = selectUser(db, { role, id })
  return createRow(db, { id, action: `${role}.created` }, inserts, actor, keys, created)
}

/**
 * Builds the statements that associate a new informer with groups, in their order. A group that
 * does not exist has no process, so the reference to it is refused.
 */
function associateNew(
  { id, name_folded }: { id: string; name_folded: string },
  groupIds: string[],
  actor: Actor,
): Statement[] {
  if (groupIds.length === 0) return []
  const listed = sql`json_each(${JSON.stringify(groupIds)}) as listed`
  return [
    insertAuditEvents(
      actor,
      'group.associated',
      sql`select ${id} as id, listed.value as related_id from ${listed}`,
    ),
    sql`
      insert into ${informerGroups} (informer_id, group_id, process_id, name_folded)
      select ${id}, listed.value, coalesce(${groups.process_id}, ''), ${name_folded}
      from ${listed} left join ${groups} on ${groups.id} = listed.value
      order by listed.key`,
  ]
}
