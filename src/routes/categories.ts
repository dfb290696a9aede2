import { categories as table } from '../database/schema.ts'
import { createDescribedBody, updateDescribedBody } from '../domain/reference.ts'
import { errors } from '../http/errors.ts'
import { referenceList, referenceListQuery } from '../http/reference-list.ts'

export const categoriesQuery = referenceListQuery({})

/** The ecclesiastical functions: public, managed by administrators. */
export const categories = referenceList(
  { tag: 'categories', type: 'category', table, searched: ['name', 'description'] },
  { query: categoriesQuery, create: createDescribedBody, update: updateDescribedBody },
  { noun: 'Categoria', ending: 'a', notFound: errors.categoryNotFound },
)
