import { eq } from 'drizzle-orm'
import { type ChangeRules, changeUser, type NotChanged } from './concurrent-changes.ts'
import { nameColumns, type NewUser } from './create.ts'
import { hasRevision, NEXT_REVISION, NEXT_TOKEN_VERSION } from './revisions.ts'
import { selectUser, type UserRow } from './user-row.ts'
import { deleteKnownAddresses } from '#database/accounts/known-addresses.ts'
import { type NewPassword, setPassword } from '#database/accounts/passwords.ts'
import { NO_WAITING_SECRET } from '#database/accounts/second-factors.ts'
import { type Actor, actorId } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { deleteEmailTokens } from '#database/emails/link-tokens.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { deleteLinkEmails, insertLinkEmail } from '#database/emails/outbox.ts'
import { users } from '#database/schema/users.ts'
import { NOW } from '#database/sql/columns.ts'
import { type Exactly, hasRow } from '#database/sql/conditions.ts'
import { runTransactionIf, type Statement } from '#database/transactions.ts'
import type { RoleSlug } from '#domain/roles.ts'

type UserChanges = Partial<Omit<NewUser, 'id' | 'email_verification_required'>>

type UserFields = Omit<UserChanges, 'password_hash'>

/** The input of an update other than columns. */
export type UpdateRules = ChangeRules & {
  /** Whether the office confirms the address. */
  confirmsEmail: boolean
  /** Whether a first email must be verified. */
  mustVerifyFirstEmail: boolean
}

/** What came of an update. */
type Update = { outcome: 'updated' | 'unchanged'; user: UserRow } | NotChanged

/**
 * Updates the fields that differ. Two round trips: one if nothing differs, more if the user is
 * changed concurrently.
 * @throws {RefusedError} by a unique index or a foreign key
 */
export function updateUser<Changes extends UserChanges>(
  db: Database,
  role: RoleSlug,
  id: string,
  changes: Exactly<UserChanges, Changes>,
  rules: UpdateRules,
  actor: Actor,
): Promise<Update> {
  return changeUser<Update>(db, role, id, rules, actor, async (current) => {
    const isOwn = actorId(actor) === id
    const update = planUpdate(current, changes, { ...rules, isOwn })
    if (!update) return { outcome: 'unchanged', user: current }

    const result = await runTransactionIf(db, hasRow(users, hasRevision(current)), {
      actor,
      writes: [
        ...insertRecords(role, update, actor),
        ...insertEmailNotices(update),
        ...endEmail(db, update, rules),
        ...insertVerification(db, update),
        ...endCpf(db, update, rules),
        ...writeColumns(db, update),
      ],
      reads: { updated: selectUser(db, { role, id }) },
    })
    if (!result) return null
    const [user] = result.updated
    return user ? { outcome: 'updated', user } : { outcome: 'gone' }
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
  /** Set whenever one is sent, or ended. */
  password: NewPassword | undefined
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
  const hash = sentHash === undefined && isPasswordLost ? null : sentHash
  const isPasswordSet = hash !== undefined && (hash !== null || current.has_password)

  const update: UserUpdate = {
    current,
    fields,
    isEmailChanged,
    isEmailConfirmed:
      confirmsEmail && email !== null && (isEmailChanged || !current.is_email_verified),
    isEmailVerificationRequired:
      current.email_verification_required || (mustVerifyFirstEmail && isFirstEmail),
    password: isPasswordSet ? { hash, by: isOwn ? 'owner' : 'office' } : undefined,
  }
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

/** Builds the records of an update: of the person, of the password, and of the email. */
function insertRecords(
  role: RoleSlug,
  { current: { id }, fields, isEmailConfirmed, password }: UserUpdate,
  actor: Actor,
): Statement[] {
  const isPersonUpdated = Object.keys(fields).length > 0
  return [
    ...(isPersonUpdated ? [insertAuditEvents(actor, `${role}.updated`, id)] : []),
    ...(password ? [insertAuditEvents(actor, 'password.changed', id)] : []),
    ...(isEmailConfirmed ? [insertAuditEvents(actor, 'email.verified', id)] : []),
  ]
}

/** Builds the notices of a changed email: to the former address and to the new one. */
function insertEmailNotices({
  current: { id, email: former },
  fields,
  isEmailChanged,
}: UserUpdate): Statement[] {
  if (!isEmailChanged || former === null) return [] // a first email is not told
  return [former, fields.email ?? null].map((address) =>
    insertNotice('email_changed', eq(users.id, id), address),
  )
}

/**
 * Builds the statements that end what a former email gave, so that whoever reads its mailbox is
 * out: links, trusted client addresses. Its failed logins stay counted, as those of a CPF do.
 */
function endEmail(
  db: Database,
  { current, isEmailChanged }: UserUpdate,
  { hashesOf }: UpdateRules,
): Statement[] {
  if (!isEmailChanged) return []

  const { id, email: former, cpf } = current
  const identifiers = [former, cpf, id].filter((identifier) => identifier !== null)
  return [
    deleteEmailTokens(db, id),
    deleteKnownAddresses(db, identifiers.flatMap(hashesOf)),
    ...(former === null ? [] : [deleteLinkEmails(db, former)]),
  ]
}

/** Builds the statement that queues the link of a new email that must be verified. */
function insertVerification(db: Database, update: UserUpdate): Statement[] {
  const { email } = update.fields
  const mustVerify = update.isEmailVerificationRequired && !update.isEmailConfirmed
  return email && mustVerify ? [insertLinkEmail(db, email, 'verification')] : []
}

/**
 * Builds the statement that ends the trust in client addresses for a former CPF. Its failed logins
 * stay counted: otherwise another CPF would end a lockout.
 */
function endCpf(
  db: Database,
  { current: { cpf: former }, fields }: UserUpdate,
  { hashesOf }: UpdateRules,
): Statement[] {
  if (fields.cpf === undefined || former === null) return []
  return [deleteKnownAddresses(db, hashesOf(former))]
}

/** Builds the statements that write the user's row, and set the password if there is one. */
function writeColumns(db: Database, update: UserUpdate): Statement[] {
  const { current, fields, isEmailChanged, password } = update
  const { id, email, has_password: hasPassword } = current
  const isRenamed = fields.first_name !== undefined || fields.last_name !== undefined
  const columns = {
    ...fields,
    // the trigger `users_renamed` copies the folded name to the pairs
    // `updated_at` follows by itself
    ...(isRenamed && nameColumns({ ...current, ...fields })),
    ...(isEmailChanged && {
      ...NO_WAITING_SECRET,
      email_verification_required: update.isEmailVerificationRequired,
      email_verified_at: null,
      token_version: NEXT_TOKEN_VERSION,
    }),
    ...(update.isEmailConfirmed && { email_verified_at: NOW }),
    revision: NEXT_REVISION,
  }
  return password
    ? setPassword(db, { id, email, hasPassword }, password, columns)
    : [db.update(users).set(columns).where(eq(users.id, id))]
}
