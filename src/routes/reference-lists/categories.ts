import {
  createReference,
  categoryList,
  updateReference,
} from '../../database/reference-lists.ts'
import { fold } from '../../domain/folding.ts'
import { errors } from '../../http/errors.ts'
import { messages } from '../../http/messages.ts'
import type { Category } from './openapi.ts'
import { referenceListRoutes } from './reference-list.ts'
import {
  createDescribedBody,
  describedListQuery,
  updateDescribedBody,
} from './schemas.ts'

/** The ecclesiastical functions: public, managed by administrators. */
export const categories = referenceListRoutes({
  tag: 'categories',
  query: describedListQuery,
  parameter: 'category',
  list: categoryList,
  searched: ['name', 'description'],
  createBody: createDescribedBody,
  updateBody: updateDescribedBody,
  create: (db, body, actor, key): Promise<Category> => {
    const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
    return createReference(db, categoryList, row, actor, key)
  },
  update: (db, id, body, actor): Promise<Category | null> => {
    const name_folded = body.name === undefined ? undefined : fold(body.name)
    return updateReference(db, categoryList, id, { ...body, name_folded }, actor)
  },
  messages: {
    created: messages.categoryCreated,
    updated: messages.categoryUpdated,
    deleted: messages.categoryDeleted,
  },
  notFound: errors.categoryNotFound,
})
