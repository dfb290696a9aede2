import { type Context, Hono } from 'hono'
import { associate, complete, dissociate, reopen } from '../database/associations.ts'
import type { Informer } from '../database/informers.ts'
import { type ApiError, errors } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireAdmin } from '../http/middleware/auth.ts'

const GROUP = '/:informer/groups/:group'
const QUESTIONNAIRE = '/:informer/questionnaires/:questionnaire'

/** Managing the groups and completed questionnaires of an informer, by administrators (contract, section 9). */
export const informersGroups = new Hono<AuthEnv>()
  .put(GROUP, requireAdmin, async (c) => {
    const { informer, group } = lowerCase(c.req.param())
    return respond(c, await associate(c.get('db'), informer, group, actorOf(c)), errors.groupNotFound)
  })
  .delete(GROUP, requireAdmin, async (c) => {
    const { informer, group } = lowerCase(c.req.param())
    return respond(c, await dissociate(c.get('db'), informer, group, actorOf(c)), errors.groupNotFound)
  })
  .put(QUESTIONNAIRE, requireAdmin, async (c) => {
    const { informer, questionnaire } = lowerCase(c.req.param())
    return respond(
      c,
      await complete(c.get('db'), informer, questionnaire, actorOf(c)),
      errors.questionnaireNotFound,
    )
  })
  .delete(QUESTIONNAIRE, requireAdmin, async (c) => {
    const { informer, questionnaire } = lowerCase(c.req.param())
    return respond(
      c,
      await reopen(c.get('db'), informer, questionnaire, actorOf(c)),
      errors.questionnaireNotFound,
    )
  })

/** The ids of a path; UUIDs are case-insensitive. */
function lowerCase<Ids extends Record<string, string>>(ids: Ids): Ids {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, id.toLowerCase()])) as Ids
}

function respond(
  c: Context,
  { informer, isKnown }: { informer: Informer | null; isKnown: boolean },
  notFound: () => ApiError,
) {
  if (!informer) throw errors.informerNotFound()
  if (!isKnown) throw notFound()
  return c.json({ success: true, data: informer })
}
