import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { fullName, initials } from '../domain/names.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { type Actor, hasRecord, record, selectRecords } from './audit-events.ts'
import { type Statement, writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { differs, type Exactly } from './conditions.ts'
import { unlessRefused } from './database-error.ts'
import { dropQueuedEmails, enqueueEmail } from './email-outbox.ts'
import { deleteEmailTokens } from './email-tokens.ts'
import { forgetAddresses, forgetFailures } from './logins.ts'
import { enqueueEmailNotices, enqueuePasswordNotice } from './notices.ts'
import { users } from './schema.ts'
import type { NewUser } from './user-changes.ts'
import { getUser, selectUser, selectUserIds, type UserRow } from './users.ts'

export type UserChanges = Partial<Omit<NewUser, 'id' | 'email_verification_required'>>

type UserFields = Omit<UserChanges, 'password_hash'>

/** What an update needs to know besides the columns. */
export type UpdateRules = {
  /** Whether the office says that the address is right. */
  confirmsEmail: boolean
  /** Whether a first email must be verified. */
  mustVerifyFirstEmail: boolean
  /** The hashes by which the logins of an email, a CPF or an id are counted. */
  hashesOf: (identifier: string) => string[]
}

/** A simultaneous request that changes the same user costs one more try. */
const MAX_TRIES = 10

/**
 * Updates the fields that differ. One transaction after the row was read, and again if what it
 * depends on was changed meanwhile.
 * @returns the user, null if there is none; or 'refused' by a unique index or a reference
 */
export async function updateUser<Changes extends UserChanges>(
  db: Database,
  role: RoleSlug,
  id: string,
  changes: Exactly<UserChanges, Changes>,
  rules: UpdateRules,
  actor: Actor,
): Promise<UserRow | null | 'refused'> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const current = await getUser(db, role, id)
    if (!current) return null

    const update = planUpdate(current, changes, rules)
    if (!update) return current

    const written = await unlessRefused(
      writeAndRead(db, updateStatements(db, role, update, rules, actor), {
        updated: selectUser(db, role, id),
        records: selectRecords(db, actor, id),
      }),
    )
    if (written === 'refused') return 'refused'
    if (written.records.length > 0) return written.updated[0] ?? null
  }
  return 'refused'
}

/** What differs from the user as read. */
type UserUpdate = {
  current: UserRow
  /** The fields that differ, but for the password. */
  fields: UserFields
  isRenamed: boolean
  /** Also if it is removed. */
  isEmailChanged: boolean
  isEmailConfirmed: boolean
  isEmailVerificationRequired: boolean
  /** Set anew whenever it is sent; null removes an existing one. */
  password_hash: string | null | undefined
}

/** Plans an update; null if nothing differs. */
function planUpdate(
  current: UserRow,
  { password_hash, ...sent }: UserChanges,
  { confirmsEmail, mustVerifyFirstEmail }: UpdateRules,
): UserUpdate | null {
  const fields = differingFields(current, sent)
  const isEmailChanged = fields.email !== undefined
  const email = isEmailChanged ? fields.email : current.email
  const isFirstEmail = isEmailChanged && current.email === null
  const update = {
    current,
    fields,
    isRenamed: fields.first_name !== undefined || fields.last_name !== undefined,
    isEmailChanged,
    isEmailConfirmed:
      confirmsEmail && email !== null && (isEmailChanged || !current.is_email_verified),
    isEmailVerificationRequired:
      current.email_verification_required || (mustVerifyFirstEmail && isFirstEmail),
    password_hash:
      password_hash === null && !current.has_password ? undefined : password_hash,
  }
  const isPasswordSent = update.password_hash !== undefined
  const isSame =
    Object.keys(fields).length === 0 && !isPasswordSent && !update.isEmailConfirmed
  return isSame ? null : update
}

/** The fields that are sent and differ from what is stored. */
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
  return Object.fromEntries(differing) as UserFields // some of those sent
}

/** The statements of an update: its records, its notices, what a new email does, and the row. */
function updateStatements(
  db: Database,
  role: RoleSlug,
  update: UserUpdate,
  rules: UpdateRules,
  actor: Actor,
): Statement[] {
  const { current, fields, isEmailChanged, isEmailConfirmed, password_hash } = update
  const { id } = current
  const isPasswordSent = password_hash !== undefined
  const isWritten = hasRecord(actor, id)

  const updateRow = db
    .update(users)
    .set({
      ...fields,
      ...(update.isRenamed && nameColumns({ ...current, ...fields })),
      ...(isEmailChanged && {
        email_verification_required: update.isEmailVerificationRequired,
        email_verified_at: null,
        password_by_link: false,
        password_hash: sql`iif(${users.password_by_link}, null, ${users.password_hash})`,
      }),
      ...(isPasswordSent && { password_hash, password_by_link: false }),
      ...(isEmailConfirmed && { email_verified_at: NOW }),
      ...((isEmailChanged || isPasswordSent) && {
        token_version: sql`${users.token_version} + 1`,
      }),
    })
    .where(and(isAsRead(current), isPending(update)))

  return [
    ...updateRecords(role, update, actor),
    ...updateNotices(update),
    ...(isPasswordSent ? [deleteEmailTokens(db, id, 'password_reset', isWritten)] : []),
    ...(isEmailChanged ? emailChangeStatements(db, update, rules, isWritten) : []),
    ...(fields.cpf === undefined
      ? []
      : formerCpfStatements(db, current, rules, isWritten)),
    updateRow,
  ]
}

/** The records of an update, each of what a simultaneous request has not done already. */
function updateRecords(
  role: RoleSlug,
  { current, fields, isEmailChanged, isEmailConfirmed, password_hash }: UserUpdate,
  actor: Actor,
): Statement[] {
  const records: Statement[] = []

  if (Object.keys(fields).length > 0)
    records.push(
      record(actor, `${role}.updated`, selectAsRead(current, differs(users, fields))),
    )

  if (password_hash !== undefined) {
    const isThere = password_hash === null ? isNotNull(users.password_hash) : undefined
    records.push(record(actor, 'password.changed', selectAsRead(current, isThere)))
  } else if (isEmailChanged) {
    const losesPassword = eq(users.password_by_link, true)
    records.push(record(actor, 'password.changed', selectAsRead(current, losesPassword)))
  }

  if (isEmailConfirmed) {
    const isUnconfirmed = isEmailChanged ? undefined : isNull(users.email_verified_at)
    records.push(record(actor, 'email.verified', selectAsRead(current, isUnconfirmed)))
  }

  return records
}

/** The notices of an update. A password that came by a link ends with the email. */
function updateNotices({ current, fields, password_hash }: UserUpdate): Statement[] {
  const isUser = isAsRead(current)
  const notices: Statement[] = []

  if (password_hash !== undefined)
    notices.push(enqueuePasswordNotice(isUser, password_hash))

  if (fields.email !== undefined) {
    const losesPassword = and(isUser, eq(users.password_by_link, true))
    if (password_hash === undefined)
      notices.push(enqueuePasswordNotice(losesPassword, null))
    notices.push(...enqueueEmailNotices(isUser, fields.email))
  }

  return notices
}

/** A condition: something of the update is not done yet, so that a retry does nothing twice. */
const isPending = ({ fields, password_hash, isEmailConfirmed }: UserUpdate) =>
  or(
    differs(users, fields),
    password_hash === undefined
      ? undefined
      : sql`${users.password_hash} is not ${password_hash}`,
    isEmailConfirmed ? isNull(users.email_verified_at) : undefined,
  )

/** A condition: what the statements depend on is still as it was read. */
const isAsRead = ({ id, first_name, last_name, email, cpf }: UserRow) =>
  and(
    eq(users.id, id),
    eq(users.first_name, first_name),
    sql`${users.last_name} is ${last_name}`,
    sql`${users.email} is ${email}`,
    sql`${users.cpf} is ${cpf}`,
  )

/** The id of the user as read, on a further condition. */
const selectAsRead = (current: UserRow, where?: SQL): SQL =>
  selectUserIds(and(isAsRead(current), where))

/** What follows the name. */
function nameColumns(person: { first_name: string; last_name: string | null }) {
  const name = fullName(person)
  return { name_folded: fold(name), initials: initials(name) }
}

/**
 * Whoever reads the mail of the former address is out: its links, the trust in client addresses,
 * what was counted of it. The new one gets a link if it must be verified.
 */
function emailChangeStatements(
  db: Database,
  { current, fields, isEmailConfirmed, isEmailVerificationRequired }: UserUpdate,
  { hashesOf }: UpdateRules,
  isWritten: SQL,
): Statement[] {
  const { id, email: former, cpf } = current
  const identifiers = [former, cpf, id].filter((identifier) => identifier !== null)
  const getsLink = isEmailVerificationRequired && !isEmailConfirmed
  return [
    deleteEmailTokens(db, id, undefined, isWritten),
    forgetAddresses(db, identifiers.flatMap(hashesOf), isWritten),
    ...(former ? [dropQueuedEmails(db, former, undefined, isWritten)] : []),
    ...(former ? [forgetFailures(db, hashesOf(former), isWritten)] : []),
    // one for nobody is dropped when it is due
    ...(fields.email && getsLink ? [enqueueEmail(db, fields.email, 'verification')] : []),
  ]
}

/** A former CPF loses its counts. */
function formerCpfStatements(
  db: Database,
  { cpf }: UserRow,
  { hashesOf }: UpdateRules,
  isWritten: SQL,
): Statement[] {
  if (cpf === null) return []
  const hashes = hashesOf(cpf)
  return [forgetFailures(db, hashes, isWritten), forgetAddresses(db, hashes, isWritten)]
}
