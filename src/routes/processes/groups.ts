import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import { toProcess } from './process.ts'
import { createGroupBody, GROUP_MESSAGES, updateGroupBody } from './schemas.ts'
import {
  createGroup,
  deleteGroup,
  findInvalidGroupFields,
  getProcessOfGroup,
  updateGroup,
} from '#database/processes/groups.ts'
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

const processIdOf = uuidParam('process')
const idOf = uuidParam('group')

const findNewErrors: BodyCheck<z.output<typeof createGroupBody>> = async (fields, c) => {
  const place = { processId: processIdOf(c) }
  return messagesOf(
    await findInvalidGroupFields(c.get('db'), fields, place),
    GROUP_MESSAGES,
  )
}

const findErrors: BodyCheck<z.output<typeof updateGroupBody>> = async (fields, c) => {
  const place = { groupId: idOf(c) }
  return messagesOf(
    await findInvalidGroupFields(c.get('db'), fields, place),
    GROUP_MESSAGES,
  )
}

function createdResponse(c: Context<CallerEnv>, process: ProcessWithGroups) {
  c.status(201)
  return reply<'POST /v1/processes/:process/groups'>(c, {
    data: toProcess(c, process),
    message: messages.groupCreated,
  })
}

/** The groups of a process, managed by administrators. */
export const groups = new Hono<AppEnv>()
  .post(
    '/processes/:process/groups',
    requireAdmin('informers:write'),
    jsonBody(),
    repeatable(async (c, id) => {
      const process = await getProcessOfGroup(c.get('db'), id, actorOf(c))
      return process && createdResponse(c, process)
    }),
    validBody(createGroupBody, findNewErrors),
    async (c) => {
      const body = c.req.valid('json')
      const group = { ...body, id: crypto.randomUUID(), process_id: processIdOf(c) }

      const process = await createGroup(
        c.get('db'),
        group,
        actorOf(c),
        idempotencyKeysOf(c),
      ).catch(checkAgain(c, findNewErrors, body))
      if (!process) {
        await assertValid(c, findNewErrors, body) // a concurrent request may have filled it
        throw errors.processNotFound()
      }
      return createdResponse(c, process)
    },
  )
  .patch(
    '/groups/:group',
    requireAdmin('informers:write'),
    jsonBody(),
    validBody(updateGroupBody, findErrors),
    async (c) => {
      const changes = c.req.valid('json')
      const process = await updateGroup(c.get('db'), idOf(c), changes, actorOf(c)).catch(
        checkAgain(c, findErrors, changes),
      )
      if (!process) throw errors.groupNotFound()

      return reply<'PATCH /v1/groups/:group'>(c, {
        data: toProcess(c, process),
        message: messages.groupUpdated,
      })
    },
  )
  .delete('/groups/:group', requireAdmin('informers:write'), async (c) => {
    const isDeleted = await deleteGroup(c.get('db'), idOf(c), actorOf(c)).catch(
      ifRefused(errors.groupHasInformers),
    )
    if (!isDeleted) throw errors.groupNotFound()

    return reply<'DELETE /v1/groups/:group'>(c, {
      message: messages.groupDeleted,
    })
  })
