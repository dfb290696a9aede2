import type { Context } from 'hono'
import type { CreatedInformer, Informer } from './openapi.ts'
import type { ChangedInformer } from '#database/users/associations.ts'
import { recordRead } from '#database/users/informer-reads.ts'
import type { UserRow } from '#database/users/user-row.ts'
import { completionOf } from '#domain/completion.ts'
import { afterResponse } from '#http/after-response.ts'
import { actorOf, type CallerEnv } from '#http/guards.ts'
import { type ApiError, errors } from '#http/response/errors.ts'
import { personOf } from '#http/users.ts'

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

/** Returns an informer as responses show one, and records the read after the response. */
export function showInformer(c: Context<CallerEnv>, row: UserRow): Informer {
  recordSeen(c, row.id)
  return toInformer(row)
}

/** Returns informers as a list shows them, and records the read after the response. */
export function showInformers(c: Context<CallerEnv>, rows: UserRow[]): Informer[] {
  const [first, second] = rows
  recordSeen(c, first && !second ? first.id : null)
  return rows.map(toInformer)
}

/**
 * Records after the response that the caller was shown an informer or a list.
 * @param informerId null for a list that does not show exactly one
 */
export function recordSeen(c: Context<CallerEnv>, informerId: string | null): void {
  if (c.req.method === 'HEAD') return
  const record = () => recordRead(c.get('db'), informerId, actorOf(c))
  afterResponse(c, record, 'read of informers not recorded')
}

const toInformer = (row: UserRow): Informer => ({
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
