import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import { toProcess } from './process.ts'
import {
  createQuestionnaireBody,
  QUESTIONNAIRE_MESSAGES,
  updateQuestionnaireBody,
} from './schemas.ts'
import {
  createQuestionnaire,
  deleteQuestionnaire,
  findInvalidQuestionnaireFields,
  getProcessOfQuestionnaire,
  updateQuestionnaire,
} from '#database/processes/questionnaires.ts'
import type { ProcessWithGroups } from '#database/processes/read.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, type CallerEnv, requireAdmin } from '#http/guards.ts'
import {
  assertValid,
  type BodyCheck,
  checkAgain,
  ifRefused,
  messagesOf,
} from '#http/request/body-checks.ts'
import { idempotencyKeysOf, repeatable } from '#http/request/idempotency.ts'
import { uuidParam } from '#http/request/paths.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'

type Body = z.output<typeof createQuestionnaireBody>

const groupIdOf = uuidParam('group')
const idOf = uuidParam('questionnaire')

const findNewErrors: BodyCheck<Body> = async (fields, c) => {
  const place = { groupId: groupIdOf(c) }
  const invalid = await findInvalidQuestionnaireFields(c.get('db'), fields, place)
  return messagesOf(invalid, QUESTIONNAIRE_MESSAGES)
}

const findErrors: BodyCheck<Body> = async (fields, c) => {
  const place = { questionnaireId: idOf(c) }
  const invalid = await findInvalidQuestionnaireFields(c.get('db'), fields, place)
  return messagesOf(invalid, QUESTIONNAIRE_MESSAGES)
}

function createdResponse(c: Context<CallerEnv>, process: ProcessWithGroups) {
  c.status(201)
  return reply<'POST /v1/groups/:group/questionnaires'>(c, {
    data: toProcess(c, process),
    message: messages.questionnaireCreated,
  })
}

/** The questionnaires of a group, managed by administrators. */
export const questionnaires = new Hono<AppEnv>()
  .post(
    '/groups/:group/questionnaires',
    requireAdmin('informers:write'),
    jsonBody(),
    repeatable(async (c, id) => {
      const process = await getProcessOfQuestionnaire(c.get('db'), id, actorOf(c))
      return process && createdResponse(c, process)
    }),
    validBody(createQuestionnaireBody, findNewErrors),
    async (c) => {
      const body = c.req.valid('json')
      const questionnaire = { ...body, id: crypto.randomUUID(), group_id: groupIdOf(c) }

      const process = await createQuestionnaire(
        c.get('db'),
        questionnaire,
        actorOf(c),
        idempotencyKeysOf(c),
      ).catch(checkAgain(c, findNewErrors, body))
      if (!process) {
        await assertValid(c, findNewErrors, body) // a concurrent request may have filled it
        throw errors.groupNotFound()
      }
      return createdResponse(c, process)
    },
  )
  .patch(
    '/questionnaires/:questionnaire',
    requireAdmin('informers:write'),
    jsonBody(),
    validBody(updateQuestionnaireBody, findErrors),
    async (c) => {
      const changes = c.req.valid('json')
      const process = await updateQuestionnaire(
        c.get('db'),
        idOf(c),
        changes,
        actorOf(c),
      ).catch(checkAgain(c, findErrors, changes))
      if (!process) throw errors.questionnaireNotFound()

      return reply<'PATCH /v1/questionnaires/:questionnaire'>(c, {
        data: toProcess(c, process),
        message: messages.questionnaireUpdated,
      })
    },
  )
  .delete(
    '/questionnaires/:questionnaire',
    requireAdmin('informers:write'),
    async (c) => {
      const isDeleted = await deleteQuestionnaire(c.get('db'), idOf(c), actorOf(c)).catch(
        ifRefused(errors.questionnaireCompleted),
      )
      if (!isDeleted) throw errors.questionnaireNotFound()

      return reply<'DELETE /v1/questionnaires/:questionnaire'>(c, {
        message: messages.questionnaireDeleted,
      })
    },
  )
