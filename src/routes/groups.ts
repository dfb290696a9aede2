import { Hono } from 'hono/quick'
import { createQuestionnaire } from '../database/process-changes.ts'
import { createQuestionnaireBody, updateGroupBody } from '../domain/process.ts'
import type { AppEnv } from '../http/app-env.ts'
import { actorOf, requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import {
  idempotentPart,
  idOf,
  respondCreated,
  respondRemoved,
  respondUpdated,
  validPart,
} from '../http/process-parts.ts'

/** The groups of a process, managed by administrators. */
export const groups = new Hono<AppEnv>()
  .patch('/:group', requireAdmin, jsonBody(), validPart(updateGroupBody, 'group'), (c) =>
    respondUpdated(c, 'group', c.req.valid('json')),
  )
  .delete('/:group', requireAdmin, (c) => respondRemoved(c, 'group'))
  .post(
    '/:group/questionnaires',
    requireAdmin,
    jsonBody(),
    idempotentPart('questionnaire'),
    validPart(createQuestionnaireBody, 'questionnaire'),
    async (c) => {
      const body = { ...c.req.valid('json'), id: crypto.randomUUID(), group_id: idOf(c, 'group') }
      const process = await createQuestionnaire(c.get('db'), body, c.get('idempotencyKey'), actorOf(c))
      return respondCreated(c, 'questionnaire', process, body)
    },
  )
