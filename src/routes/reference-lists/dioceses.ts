import * as z from 'zod/mini'
import {
  createReference,
  dioceseList,
  updateReference,
} from '../../database/reference-lists.ts'
import { fold } from '../../domain/folding.ts'
import { ApiError } from '../../http/errors.ts'
import type { PublicList } from '../../http/public-list.ts'
import type { Diocese } from './openapi.ts'
import { referenceListRoutes } from './reference-list.ts'
import { createDioceseBody, listParameters, updateDioceseBody } from './schemas.ts'

const STATE_MESSAGE = 'O parâmetro state deve ser a sigla de um estado.'

export const publicDioceses = {
  path: '/v1/dioceses',
  tag: 'dioceses',
  query: z.object({
    ...listParameters,
    state: z.optional(
      z.string(STATE_MESSAGE).check(z.regex(/^[A-Z]{2}$/, STATE_MESSAGE)),
    ),
  }),
} satisfies PublicList

export const dioceseMessages = {
  created: 'Diocese criada com sucesso.',
  updated: 'Diocese atualizada com sucesso.',
  deleted: 'Diocese excluída com sucesso.',
} as const

export const dioceseNotFound = () => new ApiError(404, 'Diocese não encontrada.')

/** The dioceses: public, managed by administrators. */
export const dioceses = referenceListRoutes({
  ...publicDioceses,
  parameter: 'diocese',
  list: dioceseList,
  searched: ['name'],
  createBody: createDioceseBody,
  updateBody: updateDioceseBody,
  create: (db, body, actor): Promise<Diocese | null> => {
    const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
    return createReference(db, dioceseList, row, actor)
  },
  update: (db, id, body, actor): Promise<Diocese | null | 'refused'> => {
    const name_folded = body.name === undefined ? undefined : fold(body.name)
    return updateReference(db, dioceseList, id, { ...body, name_folded }, actor)
  },
  messages: dioceseMessages,
  notFound: dioceseNotFound,
})
