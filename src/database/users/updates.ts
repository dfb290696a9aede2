import { eq } from 'drizzle-orm'
import type { NewUser } from './changes.ts'
import {
  type ChangeRules,
  changeUser,
  hasRevision,
  NEXT_REVISION,
  NEXT_TOKEN_VERSION,
  selectUser,
  type UserRow,
} from './read.ts'
import {
  deleteFailures,
  deleteKnownAddresses,
} from '#database/accounts/login-attempts.ts'
import { NO_WAITING_SECRET } from '#database/accounts/second-factors.ts'
import { deleteWrongCodes } from '#database/accounts/wrong-codes.ts'
import { type Actor, actorId } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { deleteLinkEmails, insertLinkEmail } from '#database/emails/outbox.ts'
import { deleteEmailTokens } from '#database/emails/tokens.ts'
import { users } from '#database/schema.ts'
import { NOW } from '#database/sql/columns.ts'
import { type Exactly, hasRow } from '#database/sql/conditions.ts'
import { runTransactionIf, type Statement } from '#database/transactions.ts'
import { fold } from '#domain/folding.ts'
import { fullName, initials } from '#domain/names.ts'
import type { RoleSlug } from '#domain/roles.ts'

export type UserChanges = Partial<Omit<NewUser, 'id' | 'email_verification_required'>>

type UserFields = Omit<UserChanges, 'password_hash'>

/** The input of an update other than columns. */
export type UpdateRules = ChangeRules & {
  /** Whether the office confirms the address. */
  confirmsEmail: boolean
  /** Whether a first email must be verified. */
  mustVerifyFirstEmail: boolean
}

/**
 * Updates the fields that differ. Two round trips, or more if the user is changed concurrently.
 * @returns the user, or null if there is none
 * @throws {RefusedError} by a unique index or a foreign key
 */
export function updateUser<Changes extends UserChanges>(
  db: Database,
  role: RoleSlug,
  id: string,
  changes: Exactly<UserChanges, Changes>,
  rules: UpdateRules,
  actor: Actor,
): Promise<UserRow | null> {
  return changeUser(db, role, id, rules, async (current) => {
    const isOwn = actorId(actor) === id
    const update = planUpdate(current, changes, { ...rules, isOwn })
    if (!update) return current

    const result = await runTransactionIf(db, hasRow(users, hasRevision(current)), {
      actor,
      writes: [
        ...updateEvents(role, update, actor),
        ...updateNotices(db, update),
        ...revocations(db, update, rules),
        updateRow(db, update),
      ],
      reads: { updated: selectUser(db, { role, id }) },
    })
    return result && (result.updated[0] ?? null)
  })
}

/** The planned changes of a user as read. */
type UserUpdate = {
  current: UserRow
  /** The changed fields, except the password. */
  fields: UserFields
  /** True also if it is removed. */
  isEmailChanged: boolean
  isEmailConfirmed: boolean
  isEmailVerificationRequired: boolean
  /** Set whenever it is sent; null removes an existing one. */
  password_hash: string | null | undefined
  password_by_link: boolean
}

/** Plans an update; null if nothing differs. */
function planUpdate(
  current: UserRow,
  { password_hash: sentHash, ...sent }: UserChanges,
  { confirmsEmail, mustVerifyFirstEmail, isOwn }: UpdateRules & { isOwn: boolean },
): UserUpdate | null {
  const fields = differingFields(current, sent)
  const isEmailChanged = fields.email !== undefined
  const email = isEmailChanged ? fields.email : current.email
  const isFirstEmail = isEmailChanged && current.email === null
  // a password set through an emailed link ends with that email
  const isPasswordLost = isEmailChanged && current.password_by_link
  const newHash = sentHash === undefined && isPasswordLost ? null : sentHash

  const update = {
    current,
    fields,
    isEmailChanged,
    isEmailConfirmed:
      confirmsEmail && email !== null && (isEmailChanged || !current.is_email_verified),
    isEmailVerificationRequired:
      current.email_verification_required || (mustVerifyFirstEmail && isFirstEmail),
    password_hash: newHash === null && !current.has_password ? undefined : newHash,
    // someone who logged in through a link may only have access to the mailbox
    password_by_link: isOwn && current.password_by_link,
  }
  const isPasswordSet = update.password_hash !== undefined
  const isSame =
    Object.keys(fields).length === 0 && !isPasswordSet && !update.isEmailConfirmed
  return isSame ? null : update
}

/** The sent fields that differ from the stored ones. */
function differingFields(current: UserRow, sent: UserFields) {
  const stored: Record<string, unknown> = {
    ...current,
    treatment_pronoun_id: current.treatment_pronoun?.id ?? null,
    category_id: current.category?.id ?? null,
    diocese_id: current.diocese?.id ?? null,
  }
  const differing = Object.entries(sent).filter(
    ([field, value]) => value !== undefined && value !== stored[field],
  )
  return Object.fromEntries(differing) as UserFields // a subset of the sent fields
}

function updateEvents(
  role: RoleSlug,
  { current, fields, isEmailConfirmed, password_hash }: UserUpdate,
  actor: Actor,
): Statement[] {
  const { id } = current
  return [
    ...(Object.keys(fields).length > 0
      ? [insertAuditEvents(actor, `${role}.updated`, id)]
      : []),
    ...(password_hash === undefined
      ? []
      : [insertAuditEvents(actor, 'password.changed', id)]),
    ...(isEmailConfirmed ? [insertAuditEvents(actor, 'email.verified', id)] : []),
  ]
}

/** Builds the notices of an update: to the former address and, for a new email, to both. */
function updateNotices(
  db: Database,
  { current, fields, isEmailChanged, password_hash }: UserUpdate,
): Statement[] {
  const { id, email: former, has_password } = current
  const isPasswordChanged = has_password && password_hash !== undefined
  const isEmailReplaced = isEmailChanged && former !== null
  return [
    ...(isPasswordChanged ? insertNotice(db, 'password_changed', former, id) : []),
    ...(isEmailReplaced ? insertNotice(db, 'email_changed', former, id) : []),
    ...(isEmailReplaced
      ? insertNotice(db, 'email_changed', fields.email ?? null, id)
      : []),
  ]
}

/**
 * Builds the statements that revoke access after a new password, email or CPF. Links, trusted
 * client addresses and counted failures of a former email end, so that whoever reads its mailbox is
 * out. A new email gets a link if it must be verified.
 */
function revocations(
  db: Database,
  update: UserUpdate,
  { hashesOf }: UpdateRules,
): Statement[] {
  const { current, fields, isEmailChanged, password_hash } = update
  const { id, email: former, cpf } = current
  const mustVerify = update.isEmailVerificationRequired && !update.isEmailConfirmed
  const statements: Statement[] = []

  if (password_hash !== undefined) {
    statements.push(deleteEmailTokens(db, id, 'password_reset'), deleteWrongCodes(db, id))
  }

  if (isEmailChanged) {
    const identifiers = [former, cpf, id].filter((identifier) => identifier !== null)
    statements.push(
      deleteEmailTokens(db, id),
      deleteKnownAddresses(db, identifiers.flatMap(hashesOf)),
    )
    if (former !== null) {
      statements.push(deleteLinkEmails(db, former), deleteFailures(db, hashesOf(former)))
    }
    if (fields.email && mustVerify) {
      statements.push(insertLinkEmail(db, fields.email, 'verification'))
    }
  }

  if (fields.cpf !== undefined && cpf !== null) {
    statements.push(
      deleteFailures(db, hashesOf(cpf)),
      deleteKnownAddresses(db, hashesOf(cpf)),
    )
  }

  return statements
}

function updateRow(db: Database, update: UserUpdate) {
  const { current, fields, isEmailChanged, password_hash, password_by_link } = update
  const isRenamed = fields.first_name !== undefined || fields.last_name !== undefined
  const endsSessions = isEmailChanged || password_hash !== undefined

  return db
    .update(users)
    .set({
      ...fields,
      ...(isRenamed && nameColumns({ ...current, ...fields })),
      ...(isEmailChanged && {
        email_verification_required: update.isEmailVerificationRequired,
        email_verified_at: null,
      }),
      ...(update.isEmailConfirmed && { email_verified_at: NOW }),
      ...(password_hash !== undefined && { password_hash, password_by_link }),
      ...(endsSessions && { ...NO_WAITING_SECRET, token_version: NEXT_TOKEN_VERSION }),
      revision: NEXT_REVISION,
    })
    .where(eq(users.id, current.id))
}

/** The columns derived from the name. */
function nameColumns(person: { first_name: string; last_name: string | null }) {
  const name = fullName(person)
  return { name_folded: fold(name), initials: initials(name) }
}
