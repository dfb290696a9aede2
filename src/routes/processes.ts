import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { createGroup, createProcess } from '../database/process-changes.ts'
import { listProcesses, readProcess } from '../database/processes.ts'
import { paginationOf } from '../domain/pagination.ts'
import { createGroupBody, createProcessBody, updateProcessBody } from '../domain/process.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors } from '../http/errors.ts'
import { actorOf, requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validQuery } from '../http/middleware/validation.ts'
import {
  idempotentPart,
  idOf,
  respondCreated,
  respondRemoved,
  respondUpdated,
  validPart,
} from '../http/process-parts.ts'
import { pageParameters, searchParameter } from '../http/query-parameters.ts'

export const processesQuery = z.object({ search: searchParameter, ...pageParameters })

/** The processes with their groups and questionnaires, managed by administrators. */
export const processes = new Hono<AppEnv>()
  .get('/', requireAdmin, validQuery(processesQuery), async (c) => {
    const { search, page, per_page: perPage } = c.req.valid('query')
    const { rows, total } = await listProcesses(c.get('db'), search, { page, perPage })
    return c.json({ success: true, data: rows, pagination: paginationOf({ page, perPage }, total) })
  })
  .post(
    '/',
    requireAdmin,
    jsonBody(),
    idempotentPart('process'),
    validPart(createProcessBody, 'process'),
    async (c) => {
      const body = { ...c.req.valid('json'), id: crypto.randomUUID() }
      const process = await createProcess(c.get('db'), body, c.get('idempotencyKey'), actorOf(c))
      return respondCreated(c, 'process', process, body)
    },
  )
  .get('/:process', requireAdmin, async (c) => {
    const process = await readProcess(c.get('db'), 'process', idOf(c, 'process'))
    if (!process) throw errors.processNotFound()
    return c.json({ success: true, data: process })
  })
  .patch('/:process', requireAdmin, jsonBody(), validPart(updateProcessBody, 'process'), (c) =>
    respondUpdated(c, 'process', c.req.valid('json')),
  )
  .delete('/:process', requireAdmin, (c) => respondRemoved(c, 'process'))
  .post(
    '/:process/groups',
    requireAdmin,
    jsonBody(),
    idempotentPart('group'),
    validPart(createGroupBody, 'group'),
    async (c) => {
      const body = { ...c.req.valid('json'), id: crypto.randomUUID(), process_id: idOf(c, 'process') }
      const process = await createGroup(c.get('db'), body, c.get('idempotencyKey'), actorOf(c))
      return respondCreated(c, 'group', process, body)
    },
  )
