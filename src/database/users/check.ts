import { and, eq, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { NewUser } from './create.ts'
import type { Database } from '#database/client.ts'
import { categories, dioceses, treatmentPronouns } from '#database/schema/lists.ts'
import { groups } from '#database/schema/processes.ts'
import { users } from '#database/schema/users.ts'
import { findViolations, hasNoRow, hasRow } from '#database/sql/conditions.ts'
import { jsonRows } from '#database/sql/json-rows.ts'

type CheckedFields = Partial<
  Pick<NewUser, 'email' | 'cpf' | 'treatment_pronoun_id' | 'category_id' | 'diocese_id'>
> & {
  group_id?: string | null | undefined
  group_ids?: string[] | null | undefined
  is_email_verified?: boolean | undefined
}

/**
 * Returns the fields whose value is taken, refers to no active row, or would unconfirm an email. One
 * round trip at most.
 * @param id the user, who may keep their email, CPF and references to inactive rows; null for a new
 *   one
 */
export function findInvalidUserFields(
  db: Database,
  fields: CheckedFields,
  id: string | null,
) {
  const { email, cpf, treatment_pronoun_id, category_id, diocese_id } = fields
  const { group_id, group_ids, is_email_verified } = fields
  const isTaken = (isSame: SQL) =>
    hasRow(users, and(isSame, id ? ne(users.id, id) : undefined))
  const isMissing = (
    table: typeof categories | typeof dioceses | typeof treatmentPronouns,
    stored:
      | typeof users.category_id
      | typeof users.diocese_id
      | typeof users.treatment_pronoun_id,
    sent: number,
  ) => {
    const isKept = id ? hasRow(users, and(eq(users.id, id), eq(stored, sent))) : undefined
    return hasNoRow(table, and(eq(table.id, sent), or(eq(table.active, true), isKept)))
  }

  return findViolations(db, {
    email: email ? isTaken(eq(users.email, email)) : null,
    cpf: cpf ? isTaken(eq(users.cpf, cpf)) : null,
    treatment_pronoun_id: treatment_pronoun_id
      ? isMissing(treatmentPronouns, users.treatment_pronoun_id, treatment_pronoun_id)
      : null,
    category_id: category_id
      ? isMissing(categories, users.category_id, category_id)
      : null,
    diocese_id: diocese_id ? isMissing(dioceses, users.diocese_id, diocese_id) : null,
    group_id: group_id ? hasNoRow(groups, eq(groups.id, group_id)) : null,
    group_ids: group_ids?.length ? isAnyMissing(group_ids) : null,
    is_email_verified:
      is_email_verified === false && id
        ? hasRow(users, and(eq(users.id, id), isNotNull(users.email_verified_at)))
        : null,
  })
}

/** A condition: at least one of these groups does not exist. */
const isAnyMissing = (groupIds: string[]) =>
  sql`exists (
    select 1 from (${jsonRows(groupIds)}) where value not in (select id from ${groups}))`
