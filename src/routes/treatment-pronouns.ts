import { treatmentPronouns as table } from '../database/schema.ts'
import { createDescribedBody, updateDescribedBody } from '../domain/reference.ts'
import { errors } from '../http/errors.ts'
import { referenceList, referenceListQuery } from '../http/reference-list.ts'

export const treatmentPronounsQuery = referenceListQuery({})

/** The treatment pronouns: public, managed by administrators. */
export const treatmentPronouns = referenceList(
  {
    tag: 'treatment-pronouns',
    type: 'treatment_pronoun',
    table,
    searched: ['name', 'description'],
  },
  { query: treatmentPronounsQuery, create: createDescribedBody, update: updateDescribedBody },
  { noun: 'Pronome de tratamento', ending: 'o', notFound: errors.treatmentPronounNotFound },
)
