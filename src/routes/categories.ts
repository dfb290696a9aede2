import { categories as table } from '../database/schema.ts'
import { referenceList, referenceListQuery } from '../http/reference-list.ts'

export const categoriesQuery = referenceListQuery({})

/** The ecclesiastical functions, public (specification, 4.4; contract, section 5). */
export const categories = referenceList({
  tag: 'categories',
  table,
  searched: ['name', 'description'],
  query: categoriesQuery,
})
