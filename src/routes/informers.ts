import type { Context } from 'hono'
import * as z from 'zod/mini'
import { associate, complete, dissociate, reopen } from '../database/associations.ts'
import { toInformer, type UserRow } from '../database/users.ts'
import { QUESTIONNAIRE_STATUSES } from '../domain/completion.ts'
import { createInformerBody, updateInformerBody } from '../domain/informer.ts'
import { type ApiError, errors } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireAdmin } from '../http/middleware/auth.ts'
import {
  choiceParameter,
  idParameter,
  pageParameters,
  searchParameter,
} from '../http/query-parameters.ts'
import { userRoutes } from '../http/user-routes.ts'

const GROUP = '/:informer/groups/:group'
const QUESTIONNAIRE = '/:informer/questionnaires/:questionnaire'

export const informersQuery = z.object({
  search: searchParameter,
  process_id: idParameter('process_id'),
  group_id: idParameter('group_id'),
  questionnaire_status: choiceParameter('questionnaire_status', QUESTIONNAIRE_STATUSES),
  ...pageParameters,
})

/** Managing informers, their groups and their completed questionnaires, by administrators. */
export const informers = userRoutes(
  'informer',
  { query: informersQuery, create: createInformerBody, update: updateInformerBody },
  { existing: toInformer, created: toCreatedInformer },
  ({ require_email_verification, email }, settings) =>
    require_email_verification ?? (settings.REQUIRE_EMAIL_VERIFICATION && email != null),
  { noun: 'Informante', notFound: errors.informerNotFound },
)
  .put(GROUP, requireAdmin, (c) => change(c, associate, c.req.param('group'), errors.groupNotFound))
  .delete(GROUP, requireAdmin, (c) =>
    change(c, dissociate, c.req.param('group'), errors.groupNotFound),
  )
  .put(QUESTIONNAIRE, requireAdmin, (c) =>
    change(c, complete, c.req.param('questionnaire'), errors.questionnaireNotFound),
  )
  .delete(QUESTIONNAIRE, requireAdmin, (c) =>
    change(c, reopen, c.req.param('questionnaire'), errors.questionnaireNotFound),
  )

function toCreatedInformer(row: UserRow) {
  const { processes_groups, is_email_verified, has_password, ...data } = toInformer(row)
  return data
}

/** Applies a change to the informer of the path. UUIDs are case-insensitive. */
async function change(
  c: Context<AuthEnv, '/:informer/*'>,
  apply: typeof associate,
  id: string,
  notFound: () => ApiError,
) {
  const informerId = c.req.param('informer').toLowerCase()
  const { informer, isKnown } = await apply(c.get('db'), informerId, id.toLowerCase(), actorOf(c))
  if (!informer) throw errors.informerNotFound()
  if (!isKnown) throw notFound()
  return c.json({ success: true, data: informer })
}
