import { treatmentPronouns as table } from '../database/schema.ts'
import { referenceList, referenceListQuery } from '../http/reference-list.ts'

export const treatmentPronounsQuery = referenceListQuery({})

/** The treatment pronouns, public (contract, section 9). */
export const treatmentPronouns = referenceList({
  tag: 'treatment-pronouns',
  table,
  searched: ['name', 'description'],
  query: treatmentPronounsQuery,
})
