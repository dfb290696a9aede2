import {
  createReference,
  treatmentPronounList,
  updateReference,
} from '../../database/reference-lists.ts'
import { fold } from '../../domain/folding.ts'
import { errors } from '../../http/errors.ts'
import { messages } from '../../http/messages.ts'
import type { TreatmentPronoun } from './openapi.ts'
import { referenceListRoutes } from './reference-list.ts'
import {
  createDescribedBody,
  describedListQuery,
  updateDescribedBody,
} from './schemas.ts'

/** The treatment pronouns: public, managed by administrators. */
export const treatmentPronouns = referenceListRoutes({
  tag: 'treatment-pronouns',
  query: describedListQuery,
  parameter: 'treatment_pronoun',
  list: treatmentPronounList,
  searched: ['name', 'description'],
  createBody: createDescribedBody,
  updateBody: updateDescribedBody,
  create: (db, body, actor, key): Promise<TreatmentPronoun> => {
    const row = { ...body, active: body.active ?? true, name_folded: fold(body.name) }
    return createReference(db, treatmentPronounList, row, actor, key)
  },
  update: (db, id, body, actor): Promise<TreatmentPronoun | null> => {
    const name_folded = body.name === undefined ? undefined : fold(body.name)
    return updateReference(db, treatmentPronounList, id, { ...body, name_folded }, actor)
  },
  messages: {
    created: messages.treatmentPronounCreated,
    updated: messages.treatmentPronounUpdated,
    deleted: messages.treatmentPronounDeleted,
  },
  notFound: errors.treatmentPronounNotFound,
})
