import { Hono } from 'hono/quick'
import { createQuestionnaireBody, updateGroupBody } from '../domain/process.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/validation.ts'
import { group, questionnaire } from '../http/process-parts.ts'

/** The groups of a process, managed by administrators. */
export const groups = new Hono<AppEnv>()
  .patch('/:group', requireAdmin, jsonBody(), group.valid(updateGroupBody), (c) =>
    group.update(c, c.req.valid('json')),
  )
  .delete('/:group', requireAdmin, group.remove)
  .post(
    '/:group/questionnaires',
    requireAdmin,
    jsonBody(),
    questionnaire.idempotent,
    questionnaire.valid(createQuestionnaireBody),
    (c) => questionnaire.create(c, c.req.valid('json')),
  )
