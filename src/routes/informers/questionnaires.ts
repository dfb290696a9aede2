import { type Context, Hono } from 'hono'
import { changedInformer, recordSeen, toInformer } from './informer.ts'
import type { ChangedInformer } from '#database/users/associations.ts'
import {
  completeQuestionnaire,
  reopenQuestionnaire,
} from '#database/users/completions.ts'
import { permits } from '#domain/api-tokens.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, type CallerEnv, requireAdmin } from '#http/guards.ts'
import { setEntityTag } from '#http/request/entity-tags.ts'
import { uuidParam } from '#http/request/paths.ts'
import { errors } from '#http/response/errors.ts'
import { reply } from '#routes/reply.ts'

const ONE = '/:informer/questionnaires/:questionnaire'

type Change = `${'PUT' | 'DELETE'} /v1/informers${typeof ONE}`

const idOf = uuidParam('informer')
const questionnaireIdOf = uuidParam('questionnaire')

/**
 * Responds with the informer; without data for an API token that may only record completions.
 * @throws {ApiError} 404
 */
function changedResponse(c: Context<CallerEnv>, changed: ChangedInformer) {
  const informer = changedInformer(changed, errors.questionnaireNotFound)
  const { apiToken } = c.get('caller')
  const mayRead = !apiToken || permits(apiToken.scopes, 'informers:read')
  if (!mayRead) return reply<Change>(c, {})

  setEntityTag(c, informer)
  recordSeen(c, [informer])
  return reply<Change>(c, { data: toInformer(informer) })
}

/** Recording which questionnaires informers have completed, by administrators. */
export const informerQuestionnaires = new Hono<AppEnv>()
  .put(ONE, requireAdmin('completions:write'), async (c) => {
    const changed = await completeQuestionnaire(
      c.get('db'),
      idOf(c),
      questionnaireIdOf(c),
      actorOf(c),
    )
    return changedResponse(c, changed)
  })
  .delete(ONE, requireAdmin('completions:write'), async (c) => {
    const changed = await reopenQuestionnaire(
      c.get('db'),
      idOf(c),
      questionnaireIdOf(c),
      actorOf(c),
    )
    return changedResponse(c, changed)
  })
