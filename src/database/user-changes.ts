import { and, eq, inArray, ne, not, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import type { InformerChanges, NewInformer } from '../domain/informer.ts'
import { fullName, initials } from '../domain/names.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, unlessRefused } from './client.ts'
import { enqueueEmail } from './email-outbox.ts'
import {
  categories,
  dioceses,
  emailOutbox,
  emailTokens,
  failedLogins,
  groups,
  informerCompletions,
  informerGroups,
  knownAddresses,
  treatmentPronouns,
  users,
} from './schema.ts'
import { hasRole, readUser, selectUser, type UserRow } from './users.ts'
import { createRow, findViolations, hasRow } from './writes.ts'

type UserChanges = Omit<InformerChanges, 'password'> & { password_hash?: string | null }

export type NewUser = Omit<NewInformer, 'password' | 'require_email_verification'> & {
  id: string
  password_hash: string | null
  email_verification_required: boolean
}

/**
 * The fields that are taken, or that refer to no active row. One round trip at most.
 * @param id the user who may keep an email and a CPF; '' for a new one
 */
export function findInvalidFields(db: Database, fields: Partial<NewInformer>, id: string) {
  const { email, cpf, treatment_pronoun_id, category_id, diocese_id, group_id } = fields
  const isTaken = (isSame: SQL) => hasRow(users, and(isSame, id ? ne(users.id, id) : undefined))
  const isMissing = (
    table: typeof categories | typeof dioceses | typeof treatmentPronouns,
    id: number,
  ) => not(hasRow(table, and(eq(table.id, id), eq(table.active, true))))
  return findViolations(db, {
    email: email && isTaken(eq(users.email, email)),
    cpf: cpf && isTaken(eq(users.cpf, cpf)),
    treatment_pronoun_id:
      treatment_pronoun_id && isMissing(treatmentPronouns, treatment_pronoun_id),
    category_id: category_id && isMissing(categories, category_id),
    diocese_id: diocese_id && isMissing(dioceses, diocese_id),
    group_id: group_id && not(hasRow(groups, eq(groups.id, group_id))),
  })
}

/**
 * Creates a user with their group and, if their email must be verified, the email that asks for it. One transaction.
 * @returns the user, or null if a unique index or the group refused it
 */
export function createUser(
  db: Database,
  role: RoleSlug,
  { group_id, ...user }: NewUser,
  actor: Actor,
) {
  const name = fullName(user)
  const role_id = sql`(select id from roles where slug = ${role})`
  const unverifiedEmail = user.email_verification_required && user.email
  const creation = {
    type: role,
    subjectId: user.id,
    row: db
      .insert(users)
      .values({ ...user, role_id, name_folded: fold(name), initials: initials(name) }),
    others: {
      ...(group_id && { group: insertAssociation(user.id, group_id) }),
      ...(unverifiedEmail && { email: enqueueEmail(db, unverifiedEmail, 'verification') }),
    },
    created: selectUser(db, role, user.id),
  }
  return createRow(db, creation, actor)
}

/** Builds the statement that associates an informer with a group, unless they are associated. */
export const insertAssociation = (informerId: string, groupId: string) => sql`
  insert into informer_groups (informer_id, group_id, process_id, name_folded)
  select users.id, ${groupId}, (select process_id from groups where id = ${groupId}), name_folded
  from users where users.id = ${informerId} and ${hasRole('informer')}
  on conflict do nothing`

/**
 * Updates the fields that differ; initials and the folded name follow the name. A password, even none, ends all sessions.
 * One transaction after the row was read, and again if another request changed the name meanwhile.
 * @param rules the hash that counts the logins of an email or CPF, to forget those of a former one; and whether a first
 * email must be verified
 * @returns the user, null if there is none; or 'refused' by a unique index or a reference
 */
export async function updateUser(
  db: Database,
  role: RoleSlug,
  id: string,
  fields: UserChanges,
  {
    hashIdentifier,
    mustVerify,
  }: { hashIdentifier: (identifier: string) => string; mustVerify: boolean },
  actor: Actor,
): Promise<UserRow | null | 'refused'> {
  for (;;) {
    const current = await readUser(db, role, id)
    if (!current) return null
    const changes = changedFields(current, fields)
    if (Object.keys(changes).length === 0) return current
    const { first_name, last_name } = { ...current, ...changes }
    const name = fullName({ first_name, last_name })
    const isRenamed = 'first_name' in changes || 'last_name' in changes
    const isSameName = sql`${users.first_name} = ${current.first_name} and ${users.last_name} is ${current.last_name}`
    const former = [
      changes.email !== undefined && current.email,
      changes.cpf !== undefined && current.cpf,
    ]
    const hashes = former.flatMap((identifier) => (identifier ? hashIdentifier(identifier) : []))
    const isPasswordSent = 'password_hash' in changes
    const isFirstEmail = changes.email && current.email === null
    const updated = await unlessRefused(
      batch(db, {
        user: db
          .update(users)
          .set({
            ...changes,
            ...(mustVerify && isFirstEmail && { email_verification_required: true }),
            ...(isRenamed && { name_folded: fold(name), initials: initials(name) }),
            ...(isPasswordSent && {
              password_by_link: false,
              token_version: sql`${users.token_version} + 1`,
            }),
          })
          .where(and(eq(users.id, id), isRenamed ? isSameName : undefined)),
        audit: insertAuditEvent(actor, `${role}.updated`, id),
        ...(isPasswordSent && {
          links: db
            .delete(emailTokens)
            .where(and(eq(emailTokens.user_id, id), eq(emailTokens.kind, 'password_reset'))),
        }),
        ...(hashes.length > 0 && deleteLogins(db, hashes)),
        rows: selectUser(db, role, id),
      }),
    )
    if (!updated) return 'refused'
    if (updated.user.meta.changes > 0) return updated.rows[0] ?? null
  }
}

/** The fields that differ from what is stored. A password always does. */
function changedFields(current: UserRow, fields: UserChanges): UserChanges {
  const stored: Record<string, unknown> = {
    ...current,
    treatment_pronoun_id: current.treatment_pronoun?.id ?? null,
    category_id: current.category?.id ?? null,
    diocese_id: current.diocese?.id ?? null,
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => value !== stored[field]),
  )
}

/**
 * Deletes a user and everything held of them but the records of who did what. One transaction.
 * @param identifiers the hashes that count their logins
 * @returns false if no administrator would remain: of two who delete each other at once, one does
 */
export async function deleteUser(
  db: Database,
  { id, role }: UserRow,
  identifiers: string[],
  actor: Actor,
) {
  const emailOf = db.select({ email: users.email }).from(users).where(eq(users.id, id))
  const isAnotherLeft = sql`exists (select 1 from users where id <> ${id} and ${hasRole('administrator')})`
  const { rows } = await batch(db, {
    ...deleteLogins(db, identifiers),
    completions: db.delete(informerCompletions).where(eq(informerCompletions.informer_id, id)),
    groups: db.delete(informerGroups).where(eq(informerGroups.informer_id, id)),
    tokens: db.delete(emailTokens).where(eq(emailTokens.user_id, id)),
    emails: db.delete(emailOutbox).where(inArray(emailOutbox.email, emailOf)),
    user: db.delete(users).where(and(eq(users.id, id), isAnotherLeft)),
    audit: insertAuditEvent(actor, `${role.slug}.deleted`, id),
    rows: selectUser(db, role.slug, id),
  })
  return rows.length === 0
}

/** The statements that delete the counted logins of some hashed identifiers. */
function deleteLogins(db: Database, identifiers: string[]) {
  return {
    failures: db.delete(failedLogins).where(inArray(failedLogins.identifier, identifiers)),
    addresses: db.delete(knownAddresses).where(inArray(knownAddresses.identifier, identifiers)),
  }
}
