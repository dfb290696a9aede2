import { Hono } from 'hono/quick'
import { updateQuestionnaireBody } from '../domain/process.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/validation.ts'
import { questionnaire } from '../http/process-parts.ts'

/** The questionnaires of a group, managed by administrators. */
export const questionnaires = new Hono<AppEnv>()
  .patch(
    '/:questionnaire',
    requireAdmin,
    jsonBody(),
    questionnaire.valid(updateQuestionnaireBody),
    (c) => questionnaire.update(c, c.req.valid('json')),
  )
  .delete('/:questionnaire', requireAdmin, questionnaire.remove)
