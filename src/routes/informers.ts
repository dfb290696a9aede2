import * as z from 'zod/mini'
import { toInformer, type UserRow } from '../database/users.ts'
import { QUESTIONNAIRE_STATUSES } from '../domain/completion.ts'
import { createInformerBody, updateInformerBody } from '../domain/informer.ts'
import { errors } from '../http/errors.ts'
import { choiceParameter, idParameter, pageParameters, searchParameter } from '../http/query-parameters.ts'
import { userRoutes } from '../http/user-routes.ts'

export const informersQuery = z.object({
  search: searchParameter,
  process_id: idParameter('process_id'),
  group_id: idParameter('group_id'),
  questionnaire_status: choiceParameter('questionnaire_status', QUESTIONNAIRE_STATUSES),
  ...pageParameters,
})

/** Managing informers, by administrators. */
export const informers = userRoutes(
  'informer',
  { query: informersQuery, create: createInformerBody, update: updateInformerBody },
  { existing: toInformer, created: toCreatedInformer },
  ({ require_email_verification, email }, settings) =>
    require_email_verification ?? (settings.REQUIRE_EMAIL_VERIFICATION && email != null),
  { noun: 'Informante', notFound: errors.informerNotFound },
)

function toCreatedInformer(row: UserRow) {
  const { processes_groups, is_email_verified, has_password, ...data } = toInformer(row)
  return data
}
