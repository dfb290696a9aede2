import {
  createReference,
  dioceseList,
  updateReference,
} from '../../database/reference-lists.ts'
import { fold } from '../../domain/folding.ts'
import { errors } from '../../http/errors.ts'
import { messages } from '../../http/messages.ts'
import type { Diocese } from './openapi.ts'
import { referenceListRoutes } from './reference-list.ts'
import { createDioceseBody, diocesesQuery, updateDioceseBody } from './schemas.ts'

/** The dioceses: public, managed by administrators. */
export const dioceses = referenceListRoutes({
  tag: 'dioceses',
  query: diocesesQuery,
  parameter: 'diocese',
  list: dioceseList,
  searched: ['name'],
  createBody: createDioceseBody,
  updateBody: updateDioceseBody,
  create: (db, body, actor, key): Promise<Diocese> => {
    const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
    return createReference(db, dioceseList, row, actor, key)
  },
  update: (db, id, body, actor): Promise<Diocese | null> => {
    const name_folded = body.name === undefined ? undefined : fold(body.name)
    return updateReference(db, dioceseList, id, { ...body, name_folded }, actor)
  },
  messages: {
    created: messages.dioceseCreated,
    updated: messages.dioceseUpdated,
    deleted: messages.dioceseDeleted,
  },
  notFound: errors.dioceseNotFound,
})
