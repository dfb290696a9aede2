import * as z from 'zod/mini'
import { dioceses as table } from '../database/schema.ts'
import { createDioceseBody, updateDioceseBody } from '../domain/reference.ts'
import { errors } from '../http/errors.ts'
import { referenceList, referenceListQuery } from '../http/reference-list.ts'

const STATE_MESSAGE = 'O parâmetro state deve ser a sigla de um estado.'

export const diocesesQuery = referenceListQuery({
  state: z.optional(z.string(STATE_MESSAGE).check(z.regex(/^[A-Z]{2}$/, STATE_MESSAGE))),
})

/** The dioceses: public, managed by administrators. */
export const dioceses = referenceList(
  { tag: 'dioceses', type: 'diocese', table, searched: ['name'] },
  { query: diocesesQuery, create: createDioceseBody, update: updateDioceseBody },
  { noun: 'Diocese', ending: 'a', notFound: errors.dioceseNotFound },
)
