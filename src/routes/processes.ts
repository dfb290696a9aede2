import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { listProcesses } from '../database/processes.ts'
import { paginationOf } from '../domain/pagination.ts'
import { createGroupBody, createProcessBody, updateProcessBody } from '../domain/process.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody, validQuery } from '../http/middleware/validation.ts'
import { group, idOf, process } from '../http/process-parts.ts'
import { pageParameters, searchParameter } from '../http/query-parameters.ts'

export const processesQuery = z.object({ search: searchParameter, ...pageParameters })

/** The processes with their groups and questionnaires, managed by administrators. */
export const processes = new Hono<AppEnv>()
  .get('/', requireAdmin, validQuery(processesQuery), async (c) => {
    const { search, page, per_page: perPage } = c.req.valid('query')
    const { rows, total } = await listProcesses(c.get('db'), search, { page, perPage })
    return c.json({ success: true, data: rows, pagination: paginationOf({ page, perPage }, total) })
  })
  .post('/', requireAdmin, jsonBody(), process.idempotent, process.valid(createProcessBody), (c) =>
    process.create(c, c.req.valid('json')),
  )
  .get('/:process', requireAdmin, (c) => process.read(c, idOf(c, 'process')))
  .patch('/:process', requireAdmin, jsonBody(), process.valid(updateProcessBody), (c) =>
    process.update(c, c.req.valid('json')),
  )
  .delete('/:process', requireAdmin, process.remove)
  .post(
    '/:process/groups',
    requireAdmin,
    jsonBody(),
    group.idempotent,
    group.valid(createGroupBody),
    (c) => group.create(c, c.req.valid('json')),
  )
