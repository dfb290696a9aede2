import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { categories, dioceses, groups, treatmentPronouns, users } from './schema.ts'

/** The parts of an informer that only the database can judge; null where there is none to judge. */
export type ConstraintInput = {
  /** Of the informer, whose own email and CPF are no duplicates. */
  id: string
  email: string | null
  cpf: string | null
  treatment_pronoun_id: number | null
  category_id: number | null
  diocese_id: number | null
  group_id: string | null
}

/** Which of those parts hold: unique, or a reference that exists and is active. What was not sent holds. */
export type ConstraintResult = Record<Exclude<keyof ConstraintInput, 'id'>, boolean>

/** Judges the parts of an informer that is not stored, because other parts are bad. One round trip. */
export async function checkConstraints(db: Database, informer: ConstraintInput): Promise<ConstraintResult> {
  const [checked] = await selectConstraints(db, constraints(informer))
  return checked as ConstraintResult
}

type Constraints = Record<keyof ConstraintResult, SQL<boolean>>

/** The constraints as SQL, to be reported one by one and to guard a write. */
export function constraints(informer: ConstraintInput): Constraints {
  const { id, email, cpf, treatment_pronoun_id, category_id, diocese_id, group_id } = informer
  return {
    email: condition(
      sql`not exists (select 1 from ${users} as other where other.email = ${email} and other.id <> ${id})`,
    ),
    cpf: condition(
      sql`not exists (select 1 from ${users} as other where other.cpf = ${cpf} and other.id <> ${id})`,
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

/** The statement that judges, to join a batch. */
export function selectConstraints(db: Database, constraints: Constraints) {
  return db.select(constraints).from(sql`(select 1)`)
}
