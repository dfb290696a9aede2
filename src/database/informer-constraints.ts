import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { categories, dioceses, groups, treatmentPronouns, users } from './schema.ts'

/** The fields of an informer that only the database can validate; null if there is nothing to validate. */
export type ConstraintInput = {
  /** The informer's own email and CPF are no duplicates. */
  id: string
  email: string | null
  cpf: string | null
  treatment_pronoun_id: number | null
  category_id: number | null
  diocese_id: number | null
  group_id: string | null
}

/** Whether each field is valid: unique, or a reference to an existing, active row. A null is valid. */
export type ConstraintResult = Record<Exclude<keyof ConstraintInput, 'id'>, boolean>

/** Checks the constraints of an informer without storing it. One round trip. */
export async function checkConstraints(db: Database, informer: ConstraintInput): Promise<ConstraintResult> {
  const [checked] = await selectConstraints(db, constraints(informer))
  return checked as ConstraintResult
}

type Constraints = Record<keyof ConstraintResult, SQL<boolean>>

/** The constraints as SQL conditions, for a query of each or to guard a write. */
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

/** Builds the query of the constraints, for a batch. */
export function selectConstraints(db: Database, constraints: Constraints) {
  return db.select(constraints).from(sql`(select 1)`)
}
