import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { fullName, initials } from '../domain/names.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { type Actor, hasRecord, record, recordPairs } from './audit-events.ts'
import { createAndRead, type Statement, writeAll } from './batch.ts'
import type { Database } from './client.ts'
import { type Exactly, findViolations, hasNoRow, hasRow } from './conditions.ts'
import { dropQueuedEmails, enqueueEmail } from './email-outbox.ts'
import { deleteEmailTokens } from './email-tokens.ts'
import { insertIdempotencyKey } from './idempotency-keys.ts'
import { jsonRows } from './json-rows.ts'
import { forgetAddresses, forgetFailures } from './logins.ts'
import { dropQueuedNotices } from './notices.ts'
import {
  categories,
  dioceses,
  groups,
  informerCompletions,
  informerGroups,
  treatmentPronouns,
  users,
} from './schema.ts'
import { selectUser, type UserRow } from './users.ts'

type UserColumns = typeof users.$inferInsert

/** The columns of a new user that come from a request, or are made of it. */
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

type CheckedFields = Partial<
  Pick<NewUser, 'email' | 'cpf' | 'treatment_pronoun_id' | 'category_id' | 'diocese_id'>
> & { group_id?: string | null | undefined; group_ids?: string[] | null | undefined }

/**
 * The fields that are taken, or that refer to no active row. One round trip at most.
 * @param id the user who may keep an email and a CPF; null for a new one
 */
export function findInvalidUserFields(
  db: Database,
  fields: CheckedFields,
  id: string | null,
) {
  const { email, cpf, treatment_pronoun_id, category_id, diocese_id } = fields
  const { group_id, group_ids } = fields
  const isTaken = (isSame: SQL) =>
    hasRow(users, and(isSame, id ? ne(users.id, id) : undefined))
  const isMissing = (
    table: typeof categories | typeof dioceses | typeof treatmentPronouns,
    id: number,
  ) => hasNoRow(table, and(eq(table.id, id), eq(table.active, true)))

  return findViolations(db, {
    email: email ? isTaken(eq(users.email, email)) : null,
    cpf: cpf ? isTaken(eq(users.cpf, cpf)) : null,
    treatment_pronoun_id: treatment_pronoun_id
      ? isMissing(treatmentPronouns, treatment_pronoun_id)
      : null,
    category_id: category_id ? isMissing(categories, category_id) : null,
    diocese_id: diocese_id ? isMissing(dioceses, diocese_id) : null,
    group_id: group_id ? hasNoRow(groups, eq(groups.id, group_id)) : null,
    group_ids: group_ids?.length ? isAnyMissing(group_ids) : null,
  })
}

/** A condition: one of some groups does not exist. */
const isAnyMissing = (groupIds: string[]) =>
  sql`exists (
    select 1 from (${jsonRows(groupIds)}) where value not in (select id from ${groups}))`

/**
 * Creates a user with their groups and, if their email must be verified, the email that asks for it.
 * One transaction.
 * @returns the user, or null if a unique index or a reference refused it
 */
export async function createUser<New extends NewUser>(
  db: Database,
  role: RoleSlug,
  user: Exactly<NewUser, New>,
  groupIds: string[],
  actor: Actor,
): Promise<UserRow | null> {
  const { id, email, email_verification_required } = user
  const name = fullName(user)
  const name_folded = fold(name)
  const insertUser = db.insert(users).values({
    ...user,
    role_id: sql`(select id from roles where slug = ${role})`,
    name_folded,
    initials: initials(name),
  })
  const writes = [
    record(actor, `${role}.created`, id),
    insertUser,
    ...insertIdempotencyKey(db, actor, id),
    ...associateGroups({ id, name_folded }, groupIds, actor),
    ...(email_verification_required && email
      ? [enqueueEmail(db, email, 'verification')]
      : []),
  ]
  return createAndRead(db, writes, selectUser(db, role, id))
}

/**
 * Builds the statements that associate a new informer with groups, in their order. A group that
 * does not exist has no process, so the reference to it is refused.
 */
function associateGroups(
  { id, name_folded }: { id: string; name_folded: string },
  groupIds: string[],
  actor: Actor,
): Statement[] {
  const listed = sql`json_each(${JSON.stringify(groupIds)}) as listed`
  return [
    recordPairs(
      actor,
      'group.associated',
      sql`select ${id} as id, key as pair_id from ${listed}`,
    ),
    sql`
      insert into ${informerGroups} (informer_id, group_id, process_id, name_folded)
      select ${id}, listed.value, coalesce(${groups.process_id}, ''), ${name_folded}
      from ${listed} left join ${groups} on ${groups.id} = listed.value
      order by listed.key`,
  ]
}

/**
 * Deletes a user and everything held of them but the records of who did what. One transaction,
 * which changes nothing if they are deleted already: somebody else may have their email by now.
 * @param identifiers the hashes by which their logins are counted
 */
export async function deleteUser(
  db: Database,
  { id, email, role }: UserRow,
  identifiers: string[],
  actor: Actor,
): Promise<void> {
  const isWritten = hasRecord(actor, id)
  await writeAll(db, [
    record(actor, `${role.slug}.deleted`, sql`select id from users where id = ${id}`),
    forgetFailures(db, identifiers, isWritten),
    forgetAddresses(db, identifiers, isWritten),
    deleteEmailTokens(db, id),
    dropQueuedEmails(db, email ?? '', undefined, isWritten),
    dropQueuedNotices(db, id),
    db.delete(informerCompletions).where(eq(informerCompletions.informer_id, id)),
    db.delete(informerGroups).where(eq(informerGroups.informer_id, id)),
    db.delete(users).where(eq(users.id, id)),
  ])
}
