import { and, eq, ne, not, type SQL } from 'drizzle-orm'
import type { Database } from './client.ts'
import { exists, findViolations } from './constraints.ts'
import { categories, dioceses, groups, treatmentPronouns, users } from './schema.ts'

/** The fields of a user that only the database can validate. Null and absent ones are valid. */
export type CheckedFields = {
  email?: string | null | undefined
  cpf?: string | null | undefined
  treatment_pronoun_id?: number | null | undefined
  category_id?: number | null | undefined
  diocese_id?: number | null | undefined
  group_id?: string | null | undefined
}

/**
 * The fields that are taken, or that refer to no active row. One round trip at most.
 *
 * @param id the user who may keep an email and a CPF; '' for a new one
 */
export function findInvalidFields(db: Database, fields: CheckedFields, id: string) {
  const { email, cpf, treatment_pronoun_id, category_id, diocese_id, group_id } = fields
  const isTaken = (isSame: SQL) => exists(users, and(isSame, id ? ne(users.id, id) : undefined))
  const isMissing = (table: typeof categories | typeof dioceses | typeof treatmentPronouns, id: number) =>
    not(exists(table, and(eq(table.id, id), eq(table.active, true))))
  return findViolations(db, {
    ...(email && { email: isTaken(eq(users.email, email)) }),
    ...(cpf && { cpf: isTaken(eq(users.cpf, cpf)) }),
    ...(treatment_pronoun_id && { treatment_pronoun_id: isMissing(treatmentPronouns, treatment_pronoun_id) }),
    ...(category_id && { category_id: isMissing(categories, category_id) }),
    ...(diocese_id && { diocese_id: isMissing(dioceses, diocese_id) }),
    ...(group_id && { group_id: not(exists(groups, eq(groups.id, group_id))) }),
  })
}
