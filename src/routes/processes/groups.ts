import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type * as z from 'zod/mini'
import {
  createGroup,
  deleteGroup,
  findInvalidGroupFields,
  getProcessOfGroup,
  updateGroup,
} from '../../database/groups.ts'
import { getProcess } from '../../database/processes.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { errors } from '../../http/errors.ts'
import { createOnce, unlessRepeated } from '../../http/idempotency.ts'
import { messages } from '../../http/messages.ts'
import { actorOf, requireAdmin } from '../../http/middleware/auth.ts'
import { jsonBody, validBody } from '../../http/middleware/validation.ts'
import { type BodyCheck, messagesOf, refusal } from '../../http/refusals.ts'
import type { ProcessesResponses } from './openapi.ts'
import { createGroupBody, GROUP_MESSAGES, updateGroupBody } from './schemas.ts'

/** The ids of the path: UUIDs are case-insensitive. */
const processIdOf = (c: Context) => c.req.param('process')?.toLowerCase() ?? ''
const idOf = (c: Context) => c.req.param('group')?.toLowerCase() ?? ''

const findNewErrors = unlessRepeated<z.output<typeof createGroupBody>>(
  async (fields, c) => {
    const place = { processId: processIdOf(c) }
    return messagesOf(
      await findInvalidGroupFields(c.get('db'), fields, place),
      GROUP_MESSAGES,
    )
  },
)

const findErrors: BodyCheck<z.output<typeof updateGroupBody>> = async (fields, c) => {
  const place = { groupId: idOf(c) }
  return messagesOf(
    await findInvalidGroupFields(c.get('db'), fields, place),
    GROUP_MESSAGES,
  )
}

/** The groups of a process, managed by administrators. */
export const groups = new Hono<AppEnv>()
  .post(
    '/processes/:process/groups',
    requireAdmin,
    jsonBody(),
    validBody(createGroupBody, findNewErrors),
    async (c) => {
      const { db } = c.var
      const body = c.req.valid('json')
      const group = { ...body, id: crypto.randomUUID(), process_id: processIdOf(c) }
      const process = await createOnce(c, {
        create: () => createGroup(db, group, actorOf(c)),
        read: (id) => getProcessOfGroup(db, id),
        check: async () => {
          if (!(await getProcess(db, group.process_id))) throw errors.processNotFound()
          return findNewErrors(body, c)
        },
      })

      const response = {
        success: true,
        data: process,
        message: messages.groupCreated,
      } satisfies ProcessesResponses['POST /v1/processes/:process/groups']
      return c.json(response, 201)
    },
  )
  .patch(
    '/groups/:group',
    requireAdmin,
    jsonBody(),
    validBody(updateGroupBody, findErrors),
    async (c) => {
      const changes = c.req.valid('json')
      const process = await updateGroup(c.get('db'), idOf(c), changes, actorOf(c))
      if (process === 'refused') throw refusal(c, await findErrors(changes, c))
      if (!process) throw errors.groupNotFound()

      return c.json({
        success: true,
        data: process,
        message: messages.groupUpdated,
      } satisfies ProcessesResponses['PATCH /v1/groups/:group'])
    },
  )
  .delete('/groups/:group', requireAdmin, async (c) => {
    const deleted = await deleteGroup(c.get('db'), idOf(c), actorOf(c))
    if (deleted === 'refused') throw errors.groupHasInformers()
    if (!deleted) throw errors.groupNotFound()

    return c.json({
      success: true,
      message: messages.groupDeleted,
    } satisfies ProcessesResponses['DELETE /v1/groups/:group'])
  })
