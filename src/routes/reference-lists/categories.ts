import * as z from 'zod/mini'
import {
  createReference,
  categoryList,
  updateReference,
} from '../../database/reference-lists.ts'
import { fold } from '../../domain/folding.ts'
import { ApiError } from '../../http/errors.ts'
import type { PublicList } from '../../http/public-list.ts'
import type { Category } from './openapi.ts'
import { referenceListRoutes } from './reference-list.ts'
import { createDescribedBody, listParameters, updateDescribedBody } from './schemas.ts'

export const publicCategories = {
  path: '/v1/categories',
  tag: 'categories',
  query: z.object(listParameters),
} satisfies PublicList

export const categoryMessages = {
  created: 'Categoria criada com sucesso.',
  updated: 'Categoria atualizada com sucesso.',
  deleted: 'Categoria excluída com sucesso.',
} as const

export const categoryNotFound = () => new ApiError(404, 'Categoria não encontrada.')

/** The ecclesiastical functions: public, managed by administrators. */
export const categories = referenceListRoutes({
  ...publicCategories,
  parameter: 'category',
  list: categoryList,
  searched: ['name', 'description'],
  createBody: createDescribedBody,
  updateBody: updateDescribedBody,
  create: (db, body, actor): Promise<Category | null> => {
    const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
    return createReference(db, categoryList, row, actor)
  },
  update: (db, id, body, actor): Promise<Category | null | 'refused'> => {
    const name_folded = body.name === undefined ? undefined : fold(body.name)
    return updateReference(db, categoryList, id, { ...body, name_folded }, actor)
  },
  messages: categoryMessages,
  notFound: categoryNotFound,
})
