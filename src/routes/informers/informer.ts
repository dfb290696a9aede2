import type { UserRow } from '../../database/users.ts'
import { completionOf } from '../../domain/completion.ts'
import { personOf } from '../../http/users.ts'
import type { CreatedInformer, Informer } from './openapi.ts'

/** An informer as responses show one that is new. */
export function toCreatedInformer(row: UserRow): CreatedInformer {
  const [first] = row.pairs
  return {
    ...personOf(row),
    category: row.category,
    treatment_pronoun: row.treatment_pronoun,
    diocese: row.diocese,
    process: first?.process ?? null,
    group: first?.group ?? null,
  }
}

/** An informer as responses show one. */
export const toInformer = (row: UserRow): Informer => ({
  ...toCreatedInformer(row),
  is_email_verified: row.is_email_verified,
  has_password: row.has_password,
  processes_groups: row.pairs.map(({ process, group, questionnaires }) => ({
    process,
    group,
    ...completionOf(questionnaires),
    questionnaires,
  })),
})
