import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import { associate, complete, dissociate, reopen } from '../database/associations.ts'
import type { AppEnv } from '../http/app-env.ts'
import { type ApiError, errors } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireAdmin } from '../http/middleware/auth.ts'

const GROUP = '/:informer/groups/:group'
const QUESTIONNAIRE = '/:informer/questionnaires/:questionnaire'

/** Managing the groups and completed questionnaires of an informer, by administrators (contract, section 9). */
export const informersGroups = new Hono<AppEnv>()
  .put(GROUP, requireAdmin, (c) => change(c, associate, c.req.param('group'), errors.groupNotFound))
  .delete(GROUP, requireAdmin, (c) => change(c, dissociate, c.req.param('group'), errors.groupNotFound))
  .put(QUESTIONNAIRE, requireAdmin, (c) =>
    change(c, complete, c.req.param('questionnaire'), errors.questionnaireNotFound),
  )
  .delete(QUESTIONNAIRE, requireAdmin, (c) =>
    change(c, reopen, c.req.param('questionnaire'), errors.questionnaireNotFound),
  )

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
