import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
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
 * The fields that are taken, or that refer to no active row. One round trip, or none if there is nothing to check.
 *
 * @param id the user who may keep an email and a CPF; null for a new one
 */
export async function findInvalidFields(
  db: Database,
  { email, cpf, treatment_pronoun_id, category_id, diocese_id, group_id }: CheckedFields,
  id: string | null,
): Promise<(keyof CheckedFields)[]> {
  const isTaken = (condition: SQL) => exists(db, users, and(condition, id ? ne(users.id, id) : undefined))
  const isMissing = (table: typeof categories | typeof dioceses | typeof treatmentPronouns, id: number) =>
    sql`not ${exists(db, table, and(eq(table.id, id), eq(table.active, true)))}`
  const invalid = {
    ...(email && { email: isTaken(eq(users.email, email)) }),
    ...(cpf && { cpf: isTaken(eq(users.cpf, cpf)) }),
    ...(treatment_pronoun_id && { treatment_pronoun_id: isMissing(treatmentPronouns, treatment_pronoun_id) }),
    ...(category_id && { category_id: isMissing(categories, category_id) }),
    ...(diocese_id && { diocese_id: isMissing(dioceses, diocese_id) }),
    ...(group_id && { group_id: sql`not ${exists(db, groups, eq(groups.id, group_id))}` }),
  }
  const fields = Object.keys(invalid) as (keyof CheckedFields)[]
  if (fields.length === 0) return []
  const [found] = await db.select(invalid as Record<string, SQL<number>>).from(sql`(select 1)`)
  return fields.filter((field) => found?.[field])
}

const exists = (
  db: Database,
  table: typeof users | typeof groups | typeof categories | typeof dioceses | typeof treatmentPronouns,
  where: SQL | undefined,
) =>
  sql`exists ${db
    .select({ found: sql`1` })
    .from(table)
    .where(where)}`
