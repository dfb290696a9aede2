import { Hono } from 'hono'
import * as z from 'zod/mini'
import { listCategories } from '../database/categories.ts'
import { atMost } from '../domain/fields.ts'
import { paginationOf } from '../domain/pagination.ts'
import { notModified, setCacheable } from '../http/caching.ts'
import { type PerhapsCallerEnv, tokenOptional } from '../http/guards.ts'
import { pageParameters } from '../http/pages.ts'
import { validQuery } from '../http/validation.ts'

const MAX_SEARCH = 100

const listQuery = z.object({
  search: z._default(
    z
      .string('O parâmetro search deve ser um texto.')
      .check(z.trim(), atMost(MAX_SEARCH, `O parâmetro search deve ter no máximo ${MAX_SEARCH} caracteres.`)),
    '',
  ),
  active: z.optional(
    z.pipe(
      z.enum(['true', 'false'], 'O parâmetro active deve ser true ou false.'),
      z.transform((value) => value === 'true'),
    ),
  ),
  ...pageParameters,
})

/** The ecclesiastical functions, public (specification, 4.4). */
export const categories = new Hono<PerhapsCallerEnv>().get(
  '/',
  tokenOptional,
  validQuery(listQuery),
  notModified,
  async (c) => {
    const { search, active, page, per_page: perPage } = c.req.valid('query')
    const { rows, total } = await listCategories(c.var.db, { search, active }, { page, perPage })
    setCacheable(c)
    return c.json({ success: true, data: rows, pagination: paginationOf({ page, perPage }, total) })
  },
)
