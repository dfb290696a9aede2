import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { fullName, initials } from '../domain/names.ts'
import { insertAssociation } from './associations.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import type { Database } from './client.ts'
import { NOW } from './columns.ts'
import { type IdempotentInsert, isKeyUnused, selectKeyUnused, storeKey } from './idempotency-keys.ts'
import { type ConstraintResult, constraints, selectConstraints } from './informer-constraints.ts'
import { firstInformer, selectInformer } from './informers.ts'
import { emailOutbox, roles, users } from './schema.ts'

type NewInformer = {
  id: string
  first_name: string
  last_name: string | null
  email: string | null
  password_hash: string | null
  email_verification_required: boolean
  cpf: string | null
  phone: string | null
  img_url: string | null
  treatment_pronoun_id: number | null
  category_id: number | null
  diocese_id: number | null
  group_id: string | null
}

/**
 * Creates an informer and its group association if all constraints hold. One transaction and one round trip, so
 * concurrent requests cannot create duplicates. Idempotent by id.
 *
 * @returns the checked constraints, whether the key was not used with another body, and the informer or null
 */
export async function createInformer(db: Database, informer: NewInformer & IdempotentInsert, actor: Actor) {
  const holds = constraints(informer)
  const [[checked], [keyCheck], , , , , , rows] = await db.batch([
    selectConstraints(db, holds),
    selectKeyUnused(db, informer),
    insertInformer(db, informer, and(...Object.values(holds), isKeyUnused(informer))),
    insertAuditEvent(db, actor, 'informer.created', informer.id),
    storeKey(db, informer),
    insertAssociation(db, informer.group_id, and(eq(users.id, informer.id), isCreatedBy(actor, informer.id))),
    enqueueVerification(db, informer, actor),
    selectInformer(db, informer.id),
  ])
  return {
    checked: checked as ConstraintResult,
    isKeyUnused: keyCheck?.isUnused === true,
    informer: firstInformer(rows),
    isVerificationRequired: Boolean(rows[0]?.email_verification_required),
  }
}

function insertInformer(db: Database, informer: NewInformer, where: SQL | undefined) {
  const value = (content: string | number | boolean | null, name: string) => sql`${content}`.as(name)
  return db
    .insert(users)
    .select(
      db
        .select({
          id: value(informer.id, 'id'),
          role_id: roles.id,
          first_name: value(informer.first_name, 'first_name'),
          last_name: value(informer.last_name, 'last_name'),
          name_folded: value(fold(fullName(informer)), 'name_folded'),
          initials: value(initials(fullName(informer)), 'initials'),
          email: value(informer.email, 'email'),
          email_verification_required: value(informer.email_verification_required ? 1 : 0, 'required'),
          email_verified_at: value(null, 'verified'),
          password_hash: value(informer.password_hash, 'password_hash'),
          // later than any token of a deleted informer whose id a repeated request gives again
          token_version: sql`cast(unixepoch('subsec') * 1000 as integer)`.as('token_version'),
          cpf: value(informer.cpf, 'cpf'),
          phone: value(informer.phone, 'phone'),
          img_url: value(informer.img_url, 'img_url'),
          treatment_pronoun_id: value(informer.treatment_pronoun_id, 'treatment_pronoun_id'),
          category_id: value(informer.category_id, 'category_id'),
          diocese_id: value(informer.diocese_id, 'diocese_id'),
          created_at: NOW.as('created_at'),
          updated_at: NOW.as('updated_at'),
        })
        .from(roles)
        .where(and(eq(roles.slug, 'informer'), where)),
    )
    .onConflictDoNothing({ target: users.id })
}

/** Whether this request has created the informer: a repetition must not undo what was changed since. */
const isCreatedBy = ({ requestId }: Actor, id: string) => sql`exists (
  select 1 from audit_events
  where request_id = ${requestId} and subject_id = ${id} and action = 'informer.created')`

/** Only for an informer with an email to verify. */
function enqueueVerification(db: Database, { id }: NewInformer, actor: Actor) {
  return db
    .insert(emailOutbox)
    .select(
      db
        .select({
          email: sql<string>`${users.email}`.as('email'),
          kind: sql`'verification'`.as('kind'),
          attempts: sql`0`.as('attempts'),
          due_at: NOW.as('due_at'),
        })
        .from(users)
        .where(
          and(
            eq(users.id, id),
            isNotNull(users.email),
            users.email_verification_required,
            isNull(users.email_verified_at),
            isCreatedBy(actor, id),
          ),
        ),
    )
    .onConflictDoNothing()
}
