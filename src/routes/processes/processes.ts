import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import { toProcess } from './process.ts'
import {
  createProcessBody,
  PROCESS_MESSAGES,
  processesQuery,
  updateProcessBody,
} from './schemas.ts'
import type { Database } from '#database/client.ts'
import {
  createProcess,
  deleteProcess,
  findInvalidProcessFields,
  updateProcess,
} from '#database/processes/changes.ts'
import type { NewGroupWithQuestionnaires } from '#database/processes/groups.ts'
import {
  getGroupsToCopy,
  getProcess,
  listProcesses,
  type ProcessWithGroups,
} from '#database/processes/read.ts'
import { dissociateProcess } from '#database/users/associations.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, type CallerEnv, requireAdmin } from '#http/guards.ts'
import {
  type BodyCheck,
  checkAgain,
  ifRefused,
  messagesOf,
} from '#http/request/body-checks.ts'
import { idempotencyKeysOf, repeatable } from '#http/request/idempotency.ts'
import { uuidParam } from '#http/request/paths.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { errors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'

const ONE = '/:process'

const idOf = uuidParam('process')

const findNewErrors: BodyCheck<z.output<typeof createProcessBody>> = async (fields, c) =>
  messagesOf(await findInvalidProcessFields(c.get('db'), fields, null), PROCESS_MESSAGES)

const findErrors: BodyCheck<z.output<typeof updateProcessBody>> = async (fields, c) =>
  messagesOf(
    await findInvalidProcessFields(c.get('db'), fields, idOf(c)),
    PROCESS_MESSAGES,
  )

/**
 * Returns the groups of a new process: its own, or copies of another's. @throws {ValidationError}
 */
async function groupsOfNew(
  db: Database,
  { groups, groups_of }: Pick<z.output<typeof createProcessBody>, 'groups' | 'groups_of'>,
): Promise<NewGroupWithQuestionnaires[]> {
  if (!groups_of) return groups ?? []

  const copies = await getGroupsToCopy(db, groups_of)
  if (!copies) throw new ValidationError(messagesOf(['groups_of'], PROCESS_MESSAGES))
  return copies
}

function createdResponse(c: Context<CallerEnv>, process: ProcessWithGroups) {
  c.status(201)
  return reply<'POST /v1/processes'>(c, {
    data: toProcess(c, process),
    message: messages.processCreated,
  })
}

/** The processes with their groups and questionnaires, managed by administrators. */
export const processes = new Hono<AppEnv>()
  .get('/', requireAdmin('processes:read'), validQuery(processesQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { rows, total } = await listProcesses(c.get('db'), filter, { page, perPage })

    return reply<'GET /v1/processes'>(c, {
      data: rows.map((row) => toProcess(c, row)),
      pagination: paginationOf({ page, perPage }, total),
    })
  })
  .post(
    '/',
    requireAdmin('informers:write'),
    jsonBody(),
    repeatable(async (c, id) => {
      const process = await getProcess(c.get('db'), id, actorOf(c))
      return process && createdResponse(c, process)
    }),
    validBody(createProcessBody, findNewErrors),
    async (c) => {
      const body = c.req.valid('json')
      const { groups, groups_of, ...fields } = body
      const newProcess = { ...fields, id: crypto.randomUUID() }
      const newGroups = await groupsOfNew(c.get('db'), { groups, groups_of })

      const process = await createProcess(
        c.get('db'),
        newProcess,
        newGroups,
        actorOf(c),
        idempotencyKeysOf(c),
      ).catch(checkAgain(c, findNewErrors, body))
      return createdResponse(c, process)
    },
  )
  .get(ONE, requireAdmin('processes:read'), async (c) => {
    const process = await getProcess(c.get('db'), idOf(c))
    if (!process) throw errors.processNotFound()

    return reply<'GET /v1/processes/:process'>(c, {
      data: toProcess(c, process),
    })
  })
  .patch(
    ONE,
    requireAdmin('informers:write'),
    jsonBody(),
    validBody(updateProcessBody, findErrors),
    async (c) => {
      const changes = c.req.valid('json')
      const process = await updateProcess(
        c.get('db'),
        idOf(c),
        changes,
        actorOf(c),
      ).catch(checkAgain(c, findErrors, changes))
      if (!process) throw errors.processNotFound()

      return reply<'PATCH /v1/processes/:process'>(c, {
        data: toProcess(c, process),
        message: messages.processUpdated,
      })
    },
  )
  .delete(ONE, requireAdmin('informers:write'), async (c) => {
    const isDeleted = await deleteProcess(c.get('db'), idOf(c), actorOf(c)).catch(
      ifRefused(errors.processHasInformers),
    )
    if (!isDeleted) throw errors.processNotFound()

    return reply<'DELETE /v1/processes/:process'>(c, {
      message: messages.processDeleted,
    })
  })
  .delete(`${ONE}/informers`, requireAdmin('informers:write'), async (c) => {
    const dissociated = await dissociateProcess(c.get('db'), idOf(c), actorOf(c))
    if (dissociated === null) throw errors.processNotFound()

    return reply<'DELETE /v1/processes/:process/informers'>(c, {
      data: { dissociated },
      message: messages.processEmptied,
    })
  })
