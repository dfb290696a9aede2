import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm'
import { type ChangeRules, changeUser, type NotChanged } from './concurrent-changes.ts'
import { hasRevision, selectUser, type UserRow } from './read.ts'
import { deleteApiTokensOf } from '#database/accounts/api-tokens.ts'
import {
  deleteFailures,
  deleteKnownAddresses,
} from '#database/accounts/login-attempts.ts'
import { deleteWrongCodes } from '#database/accounts/wrong-codes.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { deleteQueuedNotices } from '#database/emails/notices.ts'
import { deleteLinkEmails, insertLinkEmail } from '#database/emails/outbox.ts'
import { deleteEmailTokens } from '#database/emails/tokens.ts'
import { type IdempotencyKey, insertIdempotencyKey } from '#database/idempotency-keys.ts'
import {
  categories,
  dioceses,
  groups,
  informerCompletions,
  informerGroups,
  treatmentPronouns,
  users,
} from '#database/schema.ts'
import {
  type Exactly,
  findViolations,
  hasNoRow,
  hasRow,
} from '#database/sql/conditions.ts'
import { jsonRows } from '#database/sql/json-rows.ts'
import { createRow } from '#database/sql/rows.ts'
import { runTransactionIf, type Statement } from '#database/transactions.ts'
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

type CheckedFields = Partial<
  Pick<NewUser, 'email' | 'cpf' | 'treatment_pronoun_id' | 'category_id' | 'diocese_id'>
> & { group_id?: string | null | undefined; group_ids?: string[] | null | undefined }

/**
 * Returns the fields whose value is taken or refers to no active row. One round trip at most.
 * @param id the user, who may keep their email, CPF and references to inactive rows; null for a new
 *   one
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
    stored:
      | typeof users.category_id
      | typeof users.diocese_id
      | typeof users.treatment_pronoun_id,
    sent: number,
  ) => {
    const isKept = id ? hasRow(users, and(eq(users.id, id), eq(stored, sent))) : undefined
    return hasNoRow(table, and(eq(table.id, sent), or(eq(table.active, true), isKept)))
  }

  return findViolations(db, {
    email: email ? isTaken(eq(users.email, email)) : null,
    cpf: cpf ? isTaken(eq(users.cpf, cpf)) : null,
    treatment_pronoun_id: treatment_pronoun_id
      ? isMissing(treatmentPronouns, users.treatment_pronoun_id, treatment_pronoun_id)
      : null,
    category_id: category_id
      ? isMissing(categories, users.category_id, category_id)
      : null,
    diocese_id: diocese_id ? isMissing(dioceses, users.diocese_id, diocese_id) : null,
    group_id: group_id ? hasNoRow(groups, eq(groups.id, group_id)) : null,
    group_ids: group_ids?.length ? isAnyMissing(group_ids) : null,
  })
}

/** A condition: at least one of these groups does not exist. */
const isAnyMissing = (groupIds: string[]) =>
  sql`exists (
    select 1 from (${jsonRows(groupIds)}) where value not in (select id from ${groups}))`

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
 * it.
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
  const writes = [
    insertAuditEvents(actor, `${role}.created`, id),
    insertUser(db, role, user),
    ...associateNew({ id, name_folded }, groupIds, actor),
    ...(email_verification_required && email
      ? [insertLinkEmail(db, email, 'verification')]
      : []),
    ...insertIdempotencyKey(db, keys, id),
  ]
  return createRow(db, writes, actor, selectUser(db, { role, id }))
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

/**
 * Deletes a user and all their data except audit records. Two round trips, more if the user is
 * changed concurrently.
 */
export async function deleteUser(
  db: Database,
  role: RoleSlug,
  id: string,
  rules: ChangeRules,
  actor: Actor,
): Promise<{ outcome: 'deleted' } | NotChanged> {
  return changeUser(db, role, id, rules, actor, async (current) => {
    const { email, cpf } = current
    const identifiers = [id, email, cpf].filter((identifier) => identifier !== null)
    const hashes = identifiers.flatMap(rules.hashesOf)
    const deleted = await runTransactionIf(db, hasRow(users, hasRevision(current)), {
      actor,
      writes: [
        insertAuditEvents(actor, `${role}.deleted`, id),
        deleteFailures(db, hashes),
        deleteWrongCodes(db, id),
        deleteKnownAddresses(db, hashes),
        deleteEmailTokens(db, id),
        deleteLinkEmails(db, email ?? ''),
        deleteQueuedNotices(db, id),
        deleteApiTokensOf(db, id),
        db.delete(informerCompletions).where(eq(informerCompletions.informer_id, id)),
        db.delete(informerGroups).where(eq(informerGroups.informer_id, id)),
        db.delete(users).where(eq(users.id, id)),
      ],
    })
    return deleted && ({ outcome: 'deleted' } as const)
  })
}
