import { and, eq, exists, inArray, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { fold } from '../domain/folding.ts'
import { fullName, initials } from '../domain/names.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
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
  knownNetworks,
  users,
} from './schema.ts'

/** The fields from which other data derives: the initials, and the hashes that count logins. */
type InformerSnapshot = {
  id: string
  first_name: string
  last_name: string | null
  email: string | null
  cpf: string | null
}

/** The fields to update; absent ones stay unchanged. */
type InformerChanges = Partial<
  Omit<InformerSnapshot, 'id'> & {
    password_hash: string | null
    phone: string | null
    img_url: string | null
    treatment_pronoun_id: number | null
    category_id: number | null
    diocese_id: number | null
  }
>

/** The actor, and the keyed hash that counts the logins of an identifier. */
type WriteContext = { actor: Actor; hashIdentifier: (identifier: string) => Promise<string> }

/** Selects what an update or a deletion needs to know beforehand. */
export function selectInformerSnapshot(db: Database, id: string) {
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
 * Updates an informer if all constraints hold. Optimistic locking: one round trip, and one more per concurrent change.
 *
 * @returns the checked constraints, and the current informer; null if it no longer exists
 */
export async function updateInformer(
  db: Database,
  snapshot: InformerSnapshot,
  changes: InformerChanges,
  context: WriteContext,
): Promise<{ checked: ConstraintResult; informer: Informer | null; isVerificationRequired: boolean }> {
  const name = fullName({ ...snapshot, ...changes })
  const values = {
    ...changes,
    ...('first_name' in changes || 'last_name' in changes
      ? { name_folded: fold(name), initials: initials(name) }
      : {}),
  }
  const holds = constraints({ ...NOTHING_TO_CHECK, ...changes, id: snapshot.id })
  const applies = and(matchesSnapshot(snapshot), ...Object.values(holds), differs(values))
  const person = db.select({ id: users.id }).from(users).where(applies)
  const isPasswordSent = 'password_hash' in changes
  const formerIdentifiers = (['email', 'cpf'] as const)
    .filter((key) => key in changes && changes[key] !== snapshot[key])
    .map((key) => snapshot[key])
  const [[current], [checked], , , , , , rows] = await db.batch([
    selectInformerSnapshot(db, snapshot.id),
    selectConstraints(db, holds),
    ...(await deleteLogins(db, formerIdentifiers, context, person)),
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
        // a new password ends all sessions and invalidates links to reset it
        ...(isPasswordSent ? { token_version: sql`${users.token_version} + 1` } : {}),
      })
      .where(applies),
    insertAuditEvent(db, context.actor, 'informer.updated', snapshot.id),
    selectInformer(db, snapshot.id),
  ])
  const isHeld = Object.values(checked as ConstraintResult).every(Boolean)
  if (current && isHeld && !equalSnapshots(current, snapshot))
    return updateInformer(db, current, changes, context)
  return {
    checked: checked as ConstraintResult,
    informer: firstInformer(rows),
    isVerificationRequired: Boolean(rows[0]?.email_verification_required),
  }
}

/**
 * Deletes an informer and all related data. Idempotent. Optimistic locking: one round trip, and one more per
 * concurrent change.
 */
export async function deleteInformer(
  db: Database,
  snapshot: InformerSnapshot,
  context: WriteContext,
): Promise<void> {
  const { id, email, cpf } = snapshot
  const applies = matchesSnapshot(snapshot)
  const person = db.select({ id: users.id }).from(users).where(applies)
  const [[current]] = await db.batch([
    selectInformerSnapshot(db, id),
    ...(await deleteLogins(db, [id, email, cpf], context, person)),
    db.delete(informerCompletions).where(inArray(informerCompletions.informer_id, person)),
    db.delete(informerGroups).where(inArray(informerGroups.informer_id, person)),
    db.delete(emailTokens).where(inArray(emailTokens.user_id, person)),
    db.delete(idempotencyKeys).where(inArray(idempotencyKeys.created_id, person)),
    db.delete(emailOutbox).where(and(eq(emailOutbox.email, email ?? ''), exists(person))),
    db.delete(users).where(applies),
    insertAuditEvent(db, context.actor, 'informer.deleted', id),
  ])
  if (current && !equalSnapshots(current, snapshot)) await deleteInformer(db, current, context)
}

const NOTHING_TO_CHECK = {
  email: null,
  cpf: null,
  treatment_pronoun_id: null,
  category_id: null,
  diocese_id: null,
  group_id: null,
}

/** Deletes the counted logins of some identifiers, if a query finds the person. */
async function deleteLogins(
  db: Database,
  identifiers: (string | null)[],
  { hashIdentifier }: WriteContext,
  person: SQLWrapper,
) {
  const known = identifiers.filter((identifier) => identifier !== null)
  const hashes = JSON.stringify(await Promise.all(known.map(hashIdentifier)))
  const isTheirs = (column: SQLiteColumn) =>
    and(sql`${column} in (select value from json_each(${hashes}))`, exists(person))
  return [
    db.delete(failedLogins).where(isTheirs(failedLogins.identifier)),
    db.delete(knownNetworks).where(isTheirs(knownNetworks.identifier)),
  ] as const
}

const SNAPSHOT_FIELDS = ['id', 'first_name', 'last_name', 'email', 'cpf'] as const

/** A condition: the row still equals the snapshot. */
function matchesSnapshot(snapshot: InformerSnapshot): SQL | undefined {
  return and(IS_INFORMER, ...SNAPSHOT_FIELDS.map((key) => sql`${users[key]} is ${snapshot[key]}`))
}

const equalSnapshots = (one: InformerSnapshot, other: InformerSnapshot) =>
  SNAPSHOT_FIELDS.every((key) => one[key] === other[key])

/** A condition: the row differs from some values. */
function differs(values: Partial<Record<keyof typeof users.$inferSelect, string | number | null>>) {
  return or(
    ...Object.entries(values).map(
      ([column, value]) => sql`${users[column as keyof typeof values]} is not ${value}`,
    ),
  )
}
