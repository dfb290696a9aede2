import { Hono } from 'hono/quick'
import { updateQuestionnaireBody } from '../domain/process.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { respondRemoved, respondUpdated, validPart } from '../http/process-parts.ts'

/** The questionnaires of a group, managed by administrators. */
export const questionnaires = new Hono<AppEnv>()
  .patch(
    '/:questionnaire',
    requireAdmin,
    jsonBody(),
    validPart(updateQuestionnaireBody, 'questionnaire'),
    (c) => respondUpdated(c, 'questionnaire', c.req.valid('json')),
  )
  .delete('/:questionnaire', requireAdmin, (c) => respondRemoved(c, 'questionnaire'))
