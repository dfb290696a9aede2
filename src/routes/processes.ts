import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { readProcesses, selectProcessNames } from '../database/processes.ts'
import { fold } from '../domain/folding.ts'
import { offsetOf, paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireAdmin } from '../http/middleware/auth.ts'
import { validQuery } from '../http/middleware/validation.ts'
import { pageParameters, searchParameter } from '../http/query-parameters.ts'

export const processesQuery = z.object({ search: searchParameter, ...pageParameters })

/** The processes with their groups and questionnaires, for administrators. All names are read, to search in memory. */
export const processes = new Hono<AppEnv>().get('/', requireAdmin, validQuery(processesQuery), async (c) => {
  const { search, page, per_page: perPage } = c.req.valid('query')
  const db = c.get('db')
  const found = (await selectProcessNames(db)).filter(({ name, protocol }) =>
    [name, protocol].some((text) => fold(text).includes(search)),
  )
  const offset = offsetOf({ page, perPage })
  const ids = found.slice(offset, offset + perPage).map(({ id }) => id)
  return c.json({
    success: true,
    data: await readProcesses(db, ids),
    pagination: paginationOf({ page, perPage }, found.length),
  })
})
