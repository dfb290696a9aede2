import * as z from 'zod/mini'
import {
  createReference,
  treatmentPronounList,
  updateReference,
} from '../../database/reference-lists.ts'
import { fold } from '../../domain/folding.ts'
import { ApiError } from '../../http/errors.ts'
import type { PublicList } from '../../http/public-list.ts'
import type { TreatmentPronoun } from './openapi.ts'
import { referenceListRoutes } from './reference-list.ts'
import { createDescribedBody, listParameters, updateDescribedBody } from './schemas.ts'

export const publicTreatmentPronouns = {
  path: '/v1/treatment-pronouns',
  tag: 'treatment-pronouns',
  query: z.object(listParameters),
} satisfies PublicList

export const treatmentPronounMessages = {
  created: 'Pronome de tratamento criado com sucesso.',
  updated: 'Pronome de tratamento atualizado com sucesso.',
  deleted: 'Pronome de tratamento excluído com sucesso.',
} as const

export const treatmentPronounNotFound = () =>
  new ApiError(404, 'Pronome de tratamento não encontrado.')

/** The treatment pronouns: public, managed by administrators. */
export const treatmentPronouns = referenceListRoutes({
  ...publicTreatmentPronouns,
  parameter: 'treatment_pronoun',
  list: treatmentPronounList,
  searched: ['name', 'description'],
  createBody: createDescribedBody,
  updateBody: updateDescribedBody,
  create: (db, body, actor): Promise<TreatmentPronoun | null> => {
    const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
    return createReference(db, treatmentPronounList, row, actor)
  },
  update: (db, id, body, actor): Promise<TreatmentPronoun | null | 'refused'> => {
    const name_folded = body.name === undefined ? undefined : fold(body.name)
    return updateReference(db, treatmentPronounList, id, { ...body, name_folded }, actor)
  },
  messages: treatmentPronounMessages,
  notFound: treatmentPronounNotFound,
})
