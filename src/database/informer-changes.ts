import { and, eq, exists, inArray, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { fold } from '../domain/folding.ts'
import { fullName, initials } from '../domain/names.ts'
import { type Actor, recordEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { type ConstraintResult, constraints, selectConstraints } from './informer-constraints.ts'
import { firstInformer, type Informer, IS_INFORMER, selectInformer } from './informers.ts'
import {
  emailOutbox,
  emailTokens,
  failedLogins,
  idempotencyKeys,
  informerCompletions,
  informerGroups,
  knownAddresses,
  users,
} from './schema.ts'

/** What other data of an informer is made from: the initials, and the hashes under which logins are counted. */
export type Identity = {
  id: string
  first_name: string
  last_name: string | null
  email: string | null
  cpf: string | null
}

/** What changes of an informer; what is absent stays. */
export type InformerChanges = Partial<
  Omit<Identity, 'id'> & {
    password_hash: string | null
    phone: string | null
    img_url: string | null
    treatment_pronoun_id: number | null
    category_id: number | null
    diocese_id: number | null
  }
>

/** Who writes, and the keyed hash under which the logins of an identifier are counted. */
type Writing = { actor: Actor; hashIdentifier: (identifier: string) => string }

/** The statement that reads what a change or a deletion must know of an informer beforehand. */
export function selectIdentity(db: Database, id: string) {
  return db
    .select({
      id: users.id,
      first_name: users.first_name,
      last_name: users.last_name,
      email: users.email,
      cpf: users.cpf,
    })
    .from(users)
    .where(and(eq(users.id, id), IS_INFORMER))
}

/**
 * Changes an informer whose identity was read, if the database finds nothing against it. One transaction and one round
 * trip, and one more for each other request that has changed the identity in between.
 *
 * @returns what the database found, and the informer as it is then; null where it no longer exists
 */
export async function updateInformer(
  db: Database,
  identity: Identity,
  changes: InformerChanges,
  writing: Writing,
): Promise<{ checked: ConstraintResult; informer: Informer | null; isVerificationRequired: boolean }> {
  const name = fullName({ ...identity, ...changes })
  const values = {
    ...changes,
    ...('first_name' in changes || 'last_name' in changes
      ? { name_folded: fold(name), initials: initials(name) }
      : {}),
  }
  const holds = constraints({ ...NOTHING_TO_CHECK, ...changes, id: identity.id })
  const applies = and(isUnchanged(identity), ...Object.values(holds), differs(values))
  const person = db.select({ id: users.id }).from(users).where(applies)
  const isPasswordSent = 'password_hash' in changes
  const formerIdentifiers = (['email', 'cpf'] as const)
    .filter((key) => key in changes && changes[key] !== identity[key])
    .map((key) => identity[key])
  const [[current], [checked], , , , , , rows] = await db.batch([
    selectIdentity(db, identity.id),
    selectConstraints(db, holds),
    ...deleteLogins(db, formerIdentifiers, writing, person),
    db
      .delete(emailTokens)
      .where(
        and(
          inArray(emailTokens.user_id, person),
          eq(emailTokens.kind, 'password_reset'),
          sql`${isPasswordSent}`,
        ),
      ),
    db
      .update(users)
      .set({
        ...values,
        // a new password ends the sessions that the former began, and voids links to reset it
        ...(isPasswordSent ? { token_version: sql`${users.token_version} + 1` } : {}),
      })
      .where(applies),
    recordEvent(db, writing.actor, 'informer.updated', identity.id),
    selectInformer(db, identity.id),
  ])
  const isHeld = Object.values(checked as ConstraintResult).every(Boolean)
  if (current && isHeld && !isSame(current, identity)) return updateInformer(db, current, changes, writing)
  return {
    checked: checked as ConstraintResult,
    informer: firstInformer(rows),
    isVerificationRequired: Boolean(rows[0]?.email_verification_required),
  }
}

/**
 * Deletes an informer whose identity was read, and everything held of the person. One transaction and one round trip,
 * and one more for each other request that has changed the identity in between. Repeated, it deletes nothing.
 */
export async function deleteInformer(db: Database, identity: Identity, writing: Writing): Promise<void> {
  const { id, email, cpf } = identity
  const applies = isUnchanged(identity)
  const person = db.select({ id: users.id }).from(users).where(applies)
  const [[current]] = await db.batch([
    selectIdentity(db, id),
    ...deleteLogins(db, [id, email, cpf], writing, person),
    db.delete(informerCompletions).where(inArray(informerCompletions.informer_id, person)),
    db.delete(informerGroups).where(inArray(informerGroups.informer_id, person)),
    db.delete(emailTokens).where(inArray(emailTokens.user_id, person)),
    db.delete(idempotencyKeys).where(inArray(idempotencyKeys.created_id, person)),
    db.delete(emailOutbox).where(and(eq(emailOutbox.email, email ?? ''), exists(person))),
    db.delete(users).where(applies),
    recordEvent(db, writing.actor, 'informer.deleted', id),
  ])
  if (current && !isSame(current, identity)) await deleteInformer(db, current, writing)
}

const NOTHING_TO_CHECK = {
  email: null,
  cpf: null,
  treatment_pronoun_id: null,
  category_id: null,
  diocese_id: null,
  group_id: null,
}

/** Deletes the logins that are counted of a person, where a query finds the person. */
function deleteLogins(
  db: Database,
  identifiers: (string | null)[],
  { hashIdentifier }: Writing,
  person: SQLWrapper,
) {
  const hashes = JSON.stringify(identifiers.filter((identifier) => identifier !== null).map(hashIdentifier))
  const isTheirs = (column: SQLiteColumn) =>
    and(sql`${column} in (select value from json_each(${hashes}))`, exists(person))
  return [
    db.delete(failedLogins).where(isTheirs(failedLogins.identifier)),
    db.delete(knownAddresses).where(isTheirs(knownAddresses.identifier)),
  ] as const
}

const IDENTITY = ['id', 'first_name', 'last_name', 'email', 'cpf'] as const

/** Whether the row is still as it was read: what was made from it may be written. */
function isUnchanged(identity: Identity): SQL | undefined {
  return and(IS_INFORMER, ...IDENTITY.map((key) => sql`${users[key]} is ${identity[key]}`))
}

const isSame = (one: Identity, other: Identity) => IDENTITY.every((key) => one[key] === other[key])

/** Whether any of the values is another than that of the row. */
function differs(values: Partial<Record<keyof typeof users.$inferSelect, string | number | null>>) {
  return or(
    ...Object.entries(values).map(
      ([column, value]) => sql`${users[column as keyof typeof values]} is not ${value}`,
    ),
  )
}
