import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import type { NewInformer } from './informers.ts'
import { categories, dioceses, groups, treatmentPronouns, users } from './schema.ts'

/** The parts of an informer that only the database can judge. */
export type ConstraintInput = Pick<
  NewInformer,
  'id' | 'email' | 'cpf' | 'treatment_pronoun_id' | 'category_id' | 'diocese_id' | 'group_id'
>

/** Which of those parts hold: unique, or a reference that exists and is active. What was not sent holds. */
export type ConstraintResult = Record<Exclude<keyof ConstraintInput, 'id'>, boolean>

/** Judges the parts of an informer that is not created, because other parts are bad. One round trip. */
export async function checkConstraints(db: Database, informer: ConstraintInput): Promise<ConstraintResult> {
  const [checked] = await selectConstraints(db, conditions(informer))
  return checked as ConstraintResult
}

type Constraints = Record<keyof ConstraintResult, SQL<boolean>>

/** The conditions as SQL, to be told one by one and to guard the insert. */
export function conditions(informer: ConstraintInput): Constraints {
  const { id, email, cpf, treatment_pronoun_id, category_id, diocese_id, group_id } = informer
  return {
    email: condition(
      sql`not exists (select 1 from ${users} where ${users.email} = ${email} and ${users.id} <> ${id})`,
    ),
    cpf: condition(
      sql`not exists (select 1 from ${users} where ${users.cpf} = ${cpf} and ${users.id} <> ${id})`,
    ),
    treatment_pronoun_id: activeOrNull(treatmentPronouns, treatment_pronoun_id),
    category_id: activeOrNull(categories, category_id),
    diocese_id: activeOrNull(dioceses, diocese_id),
    group_id: condition(
      sql`(${group_id} is null or exists (select 1 from ${groups} where ${groups.id} = ${group_id}))`,
    ),
  }
}

function activeOrNull(
  table: typeof treatmentPronouns | typeof categories | typeof dioceses,
  id: number | null,
): SQL<boolean> {
  return condition(
    sql`(${id} is null or exists (select 1 from ${table} where ${table.id} = ${id} and ${table.active}))`,
  )
}

const condition = (expression: SQL) => expression.mapWith(Boolean) as SQL<boolean>

/** The statement that judges, to ride along in a batch. */
export function selectConstraints(db: Database, conditions: Constraints) {
  return db.select(conditions).from(sql`(select 1)`)
}
