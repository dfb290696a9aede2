import { Hono } from 'hono'
import * as z from 'zod/mini'
import { listCategories } from '../database/categories.ts'
import { atMost } from '../domain/fields.ts'
import { fold } from '../domain/folding.ts'
import { paginationOf } from '../domain/pagination.ts'
import { type PerhapsCallerEnv, tokenOptional } from '../http/guards.ts'
import { pageParameters } from '../http/pages.ts'
import { notModified, publicPage } from '../http/public-pages.ts'
import { validQuery } from '../http/validation.ts'

const MAX_SEARCH = 100

export const categoriesQuery = z.object({
  search: z._default(
    z.pipe(
      z
        .string('O parâmetro search deve ser um texto.')
        .check(
          z.trim(),
          ...atMost(MAX_SEARCH, `O parâmetro search deve ter no máximo ${MAX_SEARCH} caracteres.`),
        ),
      z.transform(fold),
    ),
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
  validQuery(categoriesQuery),
  notModified,
  (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    return publicPage(c, 'categories', c.req.valid('query'), async () => {
      const { rows, total } = await listCategories(c.get('db'), filter, { page, perPage })
      return { success: true, data: rows, pagination: paginationOf({ page, perPage }, total) }
    })
  },
)
