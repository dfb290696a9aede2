import type { Context } from 'hono'
import type { CreatedInformer, Informer } from './openapi.ts'
import type { ChangedInformer } from '#database/users/associations.ts'
import { recordRead } from '#database/users/informer-reads.ts'
import type { UserRow } from '#database/users/user-row.ts'
import { completionOf } from '#domain/completion.ts'
import { afterResponse } from '#http/after-response.ts'
import { actorOf, type CallerEnv } from '#http/guards.ts'
import { type ApiError, errors } from '#http/response/errors.ts'
import { personOf } from '#http/response/person.ts'

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

/**
 * Records after the response that the caller was shown informers: one, or a list, also an empty one.
 */
export function recordSeen(c: Context<CallerEnv>, shown: { id: string }[]): void {
  if (c.req.method === 'HEAD') return
  const [only, second] = shown
  const informerId = only && !second ? only.id : null
  const record = () => recordRead(c.get('db'), informerId, actorOf(c))
  afterResponse(c, record, 'read of informers not recorded')
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

/**
 * Returns an informer after a change of a group or questionnaire of theirs.
 * @throws {ApiError} 404
 */
export function changedInformer(
  { informer, isFound }: ChangedInformer,
  notFound: () => ApiError,
): UserRow {
  if (!informer) throw errors.informerNotFound()
  if (!isFound) throw notFound()
  return informer
}
